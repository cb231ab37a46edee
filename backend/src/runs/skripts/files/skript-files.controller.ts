import { Body, Controller, Delete, Get, Headers, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { SkriptPartsQuery } from '../skript-parts.dto.js';
import { IF_MATCH } from './file-etag.js';
import { CreateSkriptFileDto, ListedSkriptFileDto, SkriptFileDto, UpdateSkriptFileDto } from './skript-files.dto.js';
import { SkriptFilesService, SORTABLE } from './skript-files.service.js';

/** The entity tag of the file in a response. */
const ETAG = {
  ETag: { description: 'The `hash` of the file, in double quotes.', schema: { type: 'string' as const } },
};

const withEtag = (response: Response, file: SkriptFileDto): SkriptFileDto => {
  response.setHeader('ETag', `"${file.hash}"`);
  return file;
};

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
    description:
      'Lists files of all your skripts or of one. To read the content, call `GET /joint-api/skript-files/{skriptFile_id}`.',
  })
  @ApiListResponse(ListedSkriptFileDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: SkriptPartsQuery): Promise<List<ListedSkriptFileDto>> {
    return this.files.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createSkriptFile',
    summary: 'Add a file to a skript',
    description: 'Adds a file and makes the skript’s bundle stale.',
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
    description: 'Returns the file with its content.',
  })
  @ApiOkResponse({ type: SkriptFileDto, headers: ETAG })
  @ApiErrors('not_found')
  async get(
    @CurrentUser() user: SessionUser,
    @PathId('skriptFile_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SkriptFileDto> {
    return withEtag(response, await this.files.get(user.id, id));
  }

  @Put(':skriptFile_id')
  @ApiOperation({
    operationId: 'updateSkriptFile',
    summary: 'Update a file',
    description:
      'Changes a file. Keeps the fields that you leave out. With `If-Match`, changes it only if nobody else has changed it since you read it.',
  })
  @ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'The `ETag` of the file as you read it. If its content has changed since, the call returns 412.',
    example: '"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"',
    schema: { type: 'string', pattern: IF_MATCH.source },
  })
  @ApiOkResponse({ type: SkriptFileDto, headers: ETAG })
  @ApiErrors('not_found', 'name_taken', 'precondition_failed', 'payload_too_large')
  async update(
    @CurrentUser() user: SessionUser,
    @PathId('skriptFile_id') id: string,
    @Body() body: UpdateSkriptFileDto,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SkriptFileDto> {
    return withEtag(response, await this.files.update(user.id, id, body, ifMatch));
  }

  @Delete(':skriptFile_id')
  @ApiOperation({
    operationId: 'deleteSkriptFile',
    summary: 'Delete a file',
    description: 'Deletes a file and makes the skript’s bundle stale.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('skriptFile_id') id: string): Promise<DeletedDto> {
    return this.files.delete(user.id, id);
  }
}
