import { Body, Controller, Delete, Get, Header, HttpCode, Post, Put, Query, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { countText } from '@trawl/contracts';
import type { Request } from 'express';
import { auditedMany } from '../../platform/audit/audited.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { Idempotent } from '../../platform/idempotency/idempotent.js';
import {
  CreateSkriptDto,
  PurgedDto,
  PurgeSkriptsDto,
  SelectedSkriptDto,
  SkriptDto,
  SkriptsQuery,
  UpdateSkriptDto,
} from './skripts.dto.js';
import { SkriptsService, SORTABLE } from './skripts.service.js';

@ApiTags('Skripts')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/skripts')
export class SkriptsController {
  constructor(private readonly skripts: SkriptsService) {}

  @Get('list')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @ApiOperation({
    operationId: 'listSkripts',
    summary: 'List your skripts',
    description:
      'Returns your skripts, newest first, with the names and sizes of their files. `howto` is cut to 10,000 characters. Limit: 12 MB of thumbnails.',
  })
  @ApiErrors('payload_too_large')
  @ApiListResponse(SelectedSkriptDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: SkriptsQuery): Promise<string> {
    return this.skripts.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createSkript',
    summary: 'Add a skript',
    description: 'The skript has no files yet. Add `main.js` with `POST /joint-api/skript-files/addnew`.',
  })
  @ApiCreatedResponse({ type: SkriptDto })
  @ApiErrors('title_taken', 'quota_exceeded')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateSkriptDto): Promise<SkriptDto> {
    return this.skripts.create(user.id, body);
  }

  @Post('purge')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'purgeSkripts',
    summary: 'Delete all your skripts',
    description:
      'Deletes all your skripts with their files, inputs, schedules and versions. Keeps skripts that are running and lists them: stop those runs and call again.',
  })
  @ApiOkResponse({ type: PurgedDto })
  async purge(
    @CurrentUser() user: SessionUser,
    @Body() _confirmed: PurgeSkriptsDto,
    @Req() request: Request,
  ): Promise<PurgedDto> {
    const purged = await this.skripts.purge(user.id);
    auditedMany(request, { kind: 'skripts', ids: [], name: countText(purged.deleted.skripts ?? 0, 'skript') });
    return purged;
  }

  @Get(':skript_id')
  @ApiOperation({
    operationId: 'getSkript',
    summary: 'Get a skript',
    description: 'Returns its settings, the names and sizes of its files, and the full `howto`.',
  })
  @ApiOkResponse({ type: SkriptDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('skript_id') id: string): Promise<SkriptDto> {
    return this.skripts.get(user.id, id);
  }

  @Put(':skript_id')
  @ApiOperation({
    operationId: 'updateSkript',
    summary: 'Update a skript',
    description: 'Keeps the fields that you leave out.',
  })
  @ApiOkResponse({ type: SkriptDto })
  @ApiErrors('not_found', 'title_taken')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') id: string,
    @Body() body: UpdateSkriptDto,
  ): Promise<SkriptDto> {
    return this.skripts.update(user.id, id, body);
  }

  @Delete(':skript_id')
  @ApiOperation({
    operationId: 'deleteSkript',
    summary: 'Delete a skript',
    description: 'Deletes its files, inputs, input secrets, schedules and versions. Keeps its executions.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found', 'has_live_run')
  delete(@CurrentUser() user: SessionUser, @PathId('skript_id') id: string): Promise<DeletedDto> {
    return this.skripts.delete(user.id, id);
  }
}
