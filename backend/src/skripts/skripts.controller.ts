import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { BundleDto } from './bundles.dto.js';
import { BundlesService } from './bundles.service.js';
import {
  CreateSkriptDto,
  PurgedDto,
  PurgeSkriptsDto,
  SelectedSkriptDto,
  SkriptDto,
  SkriptsQuery,
  UpdateSkriptDto,
} from './skripts.dto.js';
import { SkriptsService } from './skripts.service.js';

@ApiTags('Skripts')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/skripts')
export class SkriptsController {
  constructor(
    private readonly skripts: SkriptsService,
    private readonly bundles: BundlesService,
  ) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listSkripts',
    summary: 'List your skripts',
    description:
      'The newest first, each with its files’ names and sizes. `howto` has its first 10,000 characters here.',
  })
  @ApiListResponse(SelectedSkriptDto)
  list(@CurrentUser() user: SessionUser, @Query() query: SkriptsQuery): Promise<List<SelectedSkriptDto>> {
    return this.skripts.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createSkript',
    summary: 'Add a skript',
    description: 'It has no files yet: add main.js with POST /joint-api/skript-files/addnew.',
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
      'With all that belongs to them, as deleting each would. A skript that a run goes on of stays, and the answer names it: stop that run and call again.',
  })
  @ApiOkResponse({ type: PurgedDto })
  purge(@CurrentUser() user: SessionUser, @Body() _confirmed: PurgeSkriptsDto): Promise<PurgedDto> {
    return this.skripts.purge(user.id);
  }

  @Get(':skript_id')
  @ApiOperation({
    operationId: 'getSkript',
    summary: 'Get a skript',
    description: 'With its settings, the names and sizes of its files, and its whole `howto`.',
  })
  @ApiOkResponse({ type: SkriptDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('skript_id') id: string): Promise<SkriptDto> {
    return this.skripts.get(user.id, id);
  }

  @Put(':skript_id')
  @ApiOperation({
    operationId: 'updateSkript',
    summary: 'Change a skript',
    description: 'Fields that are not sent stay as they are.',
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
    description: 'With its files, inputs, input secrets, schedules and versions. Its executions stay.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found', 'has_live_run')
  delete(@CurrentUser() user: SessionUser, @PathId('skript_id') id: string): Promise<DeletedDto> {
    return this.skripts.delete(user.id, id);
  }

  @Post(':skript_id/bundle')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'bundleSkript',
    summary: 'Build the bundle of a skript',
    description: 'What a run executes: main.js and all it imports, in one file.',
  })
  @ApiOkResponse({ type: BundleDto })
  @ApiErrors('not_found', 'main_missing', 'bundle_failed')
  bundle(@CurrentUser() user: SessionUser, @PathId('skript_id') id: string): Promise<BundleDto> {
    return this.bundles.build(user.id, id);
  }
}
