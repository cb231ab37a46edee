import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { stringify } from 'csv-stringify';
import type { Response } from 'express';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { LimitMongoCalls } from '../access/mongo-call-limit.interceptor.js';
import { MAX_COLUMNS } from './documents-csv.js';
import { MongoBulkService } from './mongo-bulk.service.js';
import {
  DeleteMongoDocumentsDto,
  InsertedDocumentsDto,
  MongoGetQuery,
  MongoIdQuery,
  MongoListQuery,
  MongoPageQuery,
  NewMongoDocumentsDto,
  pageOf,
  UpdatedDocumentsDto,
  UpdateMongoDocumentsDto,
} from './mongo-documents.dto.js';
import { type MongoDocument, MongoDocumentsService } from './mongo-documents.service.js';

const NEXT_CURSOR = 'X-Next-Cursor';

export const anyDocument = {
  type: 'object' as const,
  additionalProperties: true,
  description: 'A document, as Extended JSON.',
};

@ApiTags('Storage: MongoDB')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_rejected', 'storage_unavailable')
@LimitMongoCalls()
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
      'Returns Extended JSON, or plain JSON with `format=relaxed`. A page over 16 MB fails with 413: lower `limit`, or `select` fewer fields.',
  })
  @ApiOkResponse({ schema: pageOf(anyDocument) })
  @ApiErrors('payload_too_large')
  list(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Query() query: MongoListQuery,
  ): Promise<string> {
    return this.documents.list(user.id, dbId, collection, query);
  }

  @Get('csv')
  @ApiOperation({
    operationId: 'listMongoDocumentsAsCsv',
    summary: 'List the documents of a collection as CSV',
    description: `Returns a page of documents as CSV with a header line: \`_id\`, the selected fields, then all other fields of the page. Objects and lists are JSON text. A text that a spreadsheet would run as a formula begins with an apostrophe. A page over 16 MB, or with more than ${MAX_COLUMNS} columns, fails with 413.`,
  })
  @ApiOkResponse({
    content: {
      'text/csv': { schema: { type: 'string' }, example: '_id,title,price\n65cdf0c2a1b2c3d4e5f60718,Emma,12.5\n' },
    },
    headers: {
      [NEXT_CURSOR]: {
        description: 'Cursor of the next page, to send as `after`. Absent on the last page.',
        schema: { type: 'string' },
      },
    },
  })
  @ApiErrors('payload_too_large')
  async csv(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Query() query: MongoPageQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { lines, next } = await this.documents.csv(user.id, dbId, collection, query, true);
    if (next !== undefined) response.setHeader(NEXT_CURSOR, next);
    return new StreamableFile(Readable.from(lines).pipe(stringify()), { type: 'text/csv; charset=utf-8' });
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createMongoDocument',
    summary: 'Add a document',
    description: 'Creates the collection if it does not exist. A document without an `_id` gets an ObjectId.',
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
    description: 'If a document cannot be stored, the documents before it stay stored.',
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
    summary: 'Update the documents that match a filter',
    description: 'Uses MongoDB’s update operators. An update that takes longer than 10 s stops partway.',
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
    summary: 'Delete the documents that match a filter',
    description:
      'The filter must not be empty. A deletion that takes longer than 10 s stops partway; you can safely retry it.',
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
      'Returns Extended JSON: types that JSON lacks appear as `{ "$oid": … }`, `{ "$date": … }` and so on. With `format=relaxed` they are text.',
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
    description: 'Keeps the fields that you leave out. `_id` cannot change.',
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
    description: 'Answers 404 if no document has this `_id`.',
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
