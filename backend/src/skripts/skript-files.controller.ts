import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import {
  CreateSkriptFileDto,
  ListedSkriptFileDto,
  SkriptFileDto,
  SkriptPartsQuery,
  UpdateSkriptFileDto,
} from './skript-files.dto.js';
import { SkriptFilesService } from './skript-files.service.js';

@ApiTags('Skript files')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/skript-files')
export class SkriptFilesController {
  constructor(private readonly files: SkriptFilesService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listSkriptFiles',
    summary: 'List files of your skripts, without their content',
    description: 'Of all your skripts or of one; a text comes with `GET /joint-api/skript-files/{skriptFile_id}`.',
  })
  @ApiListResponse(ListedSkriptFileDto)
  list(@CurrentUser() user: SessionUser, @Query() query: SkriptPartsQuery): Promise<List<ListedSkriptFileDto>> {
    return this.files.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createSkriptFile',
    summary: 'Add a file to a skript',
    description: 'The skript’s bundle is stale from then on.',
  })
  @ApiCreatedResponse({ type: SkriptFileDto })
  @ApiErrors('not_found', 'name_taken', 'payload_too_large')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateSkriptFileDto): Promise<SkriptFileDto> {
    return this.files.create(user.id, body);
  }

  @Get(':skriptFile_id')
  @ApiOperation({
    operationId: 'getSkriptFile',
    summary: 'Get a file',
    description: 'With its text.',
  })
  @ApiOkResponse({ type: SkriptFileDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('skriptFile_id') id: string): Promise<SkriptFileDto> {
    return this.files.get(user.id, id);
  }

  @Put(':skriptFile_id')
  @ApiOperation({
    operationId: 'updateSkriptFile',
    summary: 'Change a file',
    description: 'Fields that are not sent stay as they are.',
  })
  @ApiOkResponse({ type: SkriptFileDto })
  @ApiErrors('not_found', 'name_taken', 'payload_too_large')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('skriptFile_id') id: string,
    @Body() body: UpdateSkriptFileDto,
  ): Promise<SkriptFileDto> {
    return this.files.update(user.id, id, body);
  }

  @Delete(':skriptFile_id')
  @ApiOperation({
    operationId: 'deleteSkriptFile',
    summary: 'Delete a file',
    description: 'The bundle of the skript is stale from then on.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('skriptFile_id') id: string): Promise<DeletedDto> {
    return this.files.delete(user.id, id);
  }
}
