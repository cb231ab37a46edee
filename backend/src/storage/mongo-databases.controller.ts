import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { MongoCollectionDto, MongoDatabaseDto } from './mongo-databases.dto.js';
import { MongoDatabasesService } from './mongo-databases.service.js';
import { MongoCollectionsQuery } from './mongo-documents.dto.js';
import { MongoDocumentsService } from './mongo-documents.service.js';

@ApiTags('Storage: MongoDB')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api')
export class MongoDatabasesController {
  constructor(
    private readonly databases: MongoDatabasesService,
    private readonly documents: MongoDocumentsService,
  ) {}

  @Get('mongo-databases/list')
  @ApiOperation({
    operationId: 'listMongoDatabases',
    summary: 'List your MongoDB databases',
    description: 'Those that your runs can store documents in.',
  })
  @ApiListResponse(MongoDatabaseDto)
  list(@CurrentUser() user: SessionUser, @Query() query: ListQuery): Promise<List<MongoDatabaseDto>> {
    return this.databases.list(user.id, query);
  }

  @Get('mongo-collections/:db_id/list')
  @ApiOperation({
    operationId: 'listMongoCollections',
    summary: 'List the collections of a database, by name',
    description:
      'With how many documents each has and how large they are. MongoDB counts while it answers: a large database takes its time.',
  })
  @ApiListResponse(MongoCollectionDto)
  @ApiErrors('not_found', 'storage_unavailable')
  collections(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Query() query: MongoCollectionsQuery,
  ): Promise<List<MongoCollectionDto>> {
    return this.documents.collections(user.id, dbId, query);
  }
}
