import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import type { List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { MongoGetQuery, MongoIdQuery, MongoListQuery } from './mongo-documents.dto.js';
import { type MongoDocument, MongoDocumentsService } from './mongo-documents.service.js';

const anyDocument = {
  type: 'object' as const,
  additionalProperties: true,
  description: 'A document, as relaxed Extended JSON.',
};

const listOfDocuments = {
  type: 'object' as const,
  required: ['total', 'limit', 'skip', 'items'],
  properties: {
    total: { type: 'integer' as const },
    total_capped: { type: 'boolean' as const },
    limit: { type: 'integer' as const },
    skip: { type: 'integer' as const },
    items: { type: 'array' as const, items: anyDocument },
  },
};

@ApiTags('Storage: MongoDB')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_rejected', 'storage_unavailable')
@Controller('joint-api/mongo/:db_id/:collection')
export class MongoDocumentsController {
  constructor(private readonly documents: MongoDocumentsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listMongoDocuments',
    summary: 'List the documents of a collection',
    description:
      'As relaxed Extended JSON. A page of more than a few megabytes is refused with 413: ask for fewer documents or `select` fewer fields.',
  })
  @ApiOkResponse({ schema: listOfDocuments })
  @ApiErrors('payload_too_large')
  list(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Query() query: MongoListQuery,
  ): Promise<List<MongoDocument>> {
    return this.documents.list(user.id, dbId, collection, query);
  }

  @Get(':doc_id')
  @ApiOperation({
    operationId: 'getMongoDocument',
    summary: 'Get a document',
    description:
      'As relaxed Extended JSON: what JSON has no word for comes as `{ "$oid": … }`, `{ "$date": … }` and the like.',
  })
  @ApiOkResponse({ schema: anyDocument })
  get(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Param('doc_id') docId: string,
    @Query() query: MongoGetQuery,
  ): Promise<MongoDocument> {
    return this.documents.get(user.id, dbId, collection, docId, query);
  }

  @Put(':doc_id')
  @ApiOperation({
    operationId: 'updateMongoDocument',
    summary: 'Set fields of a document',
    description: 'Fields that are not sent stay as they are; `_id` cannot change.',
  })
  @ApiBody({ schema: anyDocument })
  @ApiOkResponse({ schema: anyDocument })
  update(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Param('doc_id') docId: string,
    @Query() query: MongoIdQuery,
    @Body() fields: Record<string, unknown>,
  ): Promise<MongoDocument> {
    return this.documents.update(user.id, dbId, collection, docId, query.id_type, fields);
  }

  @Delete(':doc_id')
  @ApiOperation({
    operationId: 'deleteMongoDocument',
    summary: 'Delete a document',
    description: 'Answers 404 when there is none with this `_id`.',
  })
  @ApiOkResponse({ type: DeletedDto })
  delete(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Param('doc_id') docId: string,
    @Query() query: MongoIdQuery,
  ): Promise<DeletedDto> {
    return this.documents.delete(user.id, dbId, collection, docId, query.id_type);
  }
}
