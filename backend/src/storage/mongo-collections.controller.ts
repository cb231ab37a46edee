import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import {
  CopyMongoCollectionDto,
  MongoCollectionDetailsDto,
  MongoCollectionDto,
  MongoCollectionsQuery,
  NewMongoCollectionDto,
  RenameMongoCollectionDto,
} from './mongo-collections.dto.js';
import { MongoCollectionsService } from './mongo-collections.service.js';
import { TakesMongoTurn } from './mongo-turn.js';

@ApiTags('MongoDB collections')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_rejected', 'storage_unavailable')
@TakesMongoTurn()
@Controller('joint-api/mongo-collections/:db_id')
export class MongoCollectionsController {
  constructor(private readonly collections: MongoCollectionsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listMongoCollections',
    summary: 'List the collections of a database, by name',
    description:
      'With how many documents each has and how large they are. MongoDB counts while it answers: a large database takes its time.',
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
    description: 'Not needed before documents are added: the first one makes its collection.',
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
    description: 'How many documents and indexes it has, and what they take.',
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
    description: 'With its documents and indexes.',
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
      'With its documents and indexes, within the database. The copy appears when it is complete; one that takes longer than five minutes is given up.',
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
    description: 'With its documents and indexes. A collection that has the new name already is not replaced.',
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
