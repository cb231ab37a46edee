import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { LimitMongoCalls } from '../access/mongo-call-limit.interceptor.js';
import {
  CopyMongoCollectionDto,
  MongoCollectionDetailsDto,
  MongoCollectionDto,
  MongoCollectionsQuery,
  NewMongoCollectionDto,
  RenameMongoCollectionDto,
} from './mongo-collections.dto.js';
import { MongoCollectionsService } from './mongo-collections.service.js';

@ApiTags('MongoDB collections')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_rejected', 'storage_unavailable')
@LimitMongoCalls()
@Controller('joint-api/mongo-collections/:db_id')
export class MongoCollectionsController {
  constructor(private readonly collections: MongoCollectionsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listMongoCollections',
    summary: 'List the collections of a database, by name',
    description:
      'Returns the number and size of the documents in each. MongoDB counts on every call, so large databases take longer.',
  })
  @ApiListResponse(MongoCollectionDto)
  list(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Query() query: MongoCollectionsQuery,
  ): Promise<List<MongoCollectionDto>> {
    return this.collections.list(user.id, dbId, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createMongoCollection',
    summary: 'Add a collection',
    description: 'Optional: adding the first document also creates its collection.',
  })
  @ApiCreatedResponse({ type: MongoCollectionDetailsDto })
  @ApiErrors('name_taken', 'quota_exceeded')
  create(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Body() body: NewMongoCollectionDto,
  ): Promise<MongoCollectionDetailsDto> {
    return this.collections.create(user.id, dbId, body.name);
  }

  @Get(':collection')
  @ApiOperation({
    operationId: 'getMongoCollection',
    summary: 'Get a collection, with its size',
    description: 'Returns the number and size of its documents and indexes.',
  })
  @ApiOkResponse({ type: MongoCollectionDetailsDto })
  get(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
  ): Promise<MongoCollectionDetailsDto> {
    return this.collections.get(user.id, dbId, collection);
  }

  @Delete(':collection')
  @ApiOperation({
    operationId: 'deleteMongoCollection',
    summary: 'Drop a collection',
    description: 'Deletes the collection with its documents and indexes.',
  })
  @ApiOkResponse({ type: DeletedDto })
  delete(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
  ): Promise<DeletedDto> {
    return this.collections.drop(user.id, dbId, collection);
  }

  @Post(':collection/copy')
  @Idempotent()
  @ApiOperation({
    operationId: 'copyMongoCollection',
    summary: 'Copy a collection',
    description:
      'Copies documents and indexes within the database. The new collection appears only when it is complete. If copying takes longer than five minutes, Trawl cancels it and makes no copy.',
  })
  @ApiCreatedResponse({ type: MongoCollectionDetailsDto })
  @ApiErrors('name_taken', 'quota_exceeded', 'storage_duplicate_key')
  copy(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Body() body: CopyMongoCollectionDto,
  ): Promise<MongoCollectionDetailsDto> {
    return this.collections.copy(user.id, dbId, collection, body);
  }

  @Post(':collection/rename')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'renameMongoCollection',
    summary: 'Rename a collection',
    description: 'Keeps documents and indexes. Refuses a name that another collection has.',
  })
  @ApiOkResponse({ type: MongoCollectionDetailsDto })
  @ApiErrors('name_taken', 'storage_outcome_unknown', 'storage_unavailable')
  rename(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Body() body: RenameMongoCollectionDto,
  ): Promise<MongoCollectionDetailsDto> {
    return this.collections.rename(user.id, dbId, collection, body.to);
  }
}
