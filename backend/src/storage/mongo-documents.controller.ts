import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { MongoBulkService } from './mongo-bulk.service.js';
import {
  DeleteMongoDocumentsDto,
  InsertedDocumentsDto,
  MongoGetQuery,
  MongoIdQuery,
  MongoListQuery,
  NewMongoDocumentsDto,
  UpdatedDocumentsDto,
  UpdateMongoDocumentsDto,
} from './mongo-documents.dto.js';
import { type MongoDocument, MongoDocumentsService } from './mongo-documents.service.js';
import { TakesMongoTurn } from './mongo-turn.js';

export const anyDocument = {
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
    next: { type: 'string' as const, description: '`after` of the page that follows; absent on the last one.' },
    items: { type: 'array' as const, items: anyDocument },
  },
};

@ApiTags('Storage: MongoDB')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_rejected', 'storage_unavailable')
@TakesMongoTurn()
@Controller('joint-api/mongo/:db_id/:collection')
export class MongoDocumentsController {
  constructor(
    private readonly documents: MongoDocumentsService,
    private readonly bulk: MongoBulkService,
  ) {}

  @Get('list')
  @Header('Content-Type', 'application/json; charset=utf-8')
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
  ): Promise<string> {
    return this.documents.list(user.id, dbId, collection, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createMongoDocument',
    summary: 'Add a document',
    description: 'Without an `_id` it gets an ObjectId. A collection that is not there is made.',
  })
  @ApiBody({ schema: anyDocument })
  @ApiCreatedResponse({ schema: anyDocument })
  @ApiErrors('quota_exceeded', 'storage_duplicate_key', 'storage_outcome_unknown', 'storage_unavailable')
  create(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Body() body: Record<string, unknown>,
  ): Promise<MongoDocument> {
    return this.bulk.insert(user.id, dbId, collection, body);
  }

  @Post('addnew-many')
  @Idempotent()
  @ApiOperation({
    operationId: 'createMongoDocuments',
    summary: 'Add up to a thousand documents',
    description: 'The documents before one that cannot be stored are stored.',
  })
  @ApiCreatedResponse({ type: InsertedDocumentsDto })
  @ApiErrors('quota_exceeded', 'storage_duplicate_key', 'storage_outcome_unknown', 'storage_unavailable')
  createMany(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Body() body: NewMongoDocumentsDto,
  ): Promise<InsertedDocumentsDto> {
    return this.bulk.insertMany(user.id, dbId, collection, body);
  }

  @Post('update-many')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'updateMongoDocuments',
    summary: 'Change the documents that a filter finds',
    description: 'With the update operators of MongoDB. An update that takes longer than 10 s stops on its way.',
  })
  @ApiOkResponse({ type: UpdatedDocumentsDto })
  @ApiErrors('storage_duplicate_key', 'storage_outcome_unknown', 'storage_unavailable')
  updateMany(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Body() body: UpdateMongoDocumentsDto,
  ): Promise<UpdatedDocumentsDto> {
    return this.bulk.update(user.id, dbId, collection, body);
  }

  @Post('delete-many')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'deleteMongoDocuments',
    summary: 'Delete the documents that a filter finds',
    description: 'The filter must not be empty. What takes longer than 10 s stops on its way, and can be sent again.',
  })
  @ApiOkResponse({ type: DeletedDto })
  deleteMany(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Body() body: DeleteMongoDocumentsDto,
  ): Promise<DeletedDto> {
    return this.bulk.delete(user.id, dbId, collection, body);
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
