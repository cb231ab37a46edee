import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { MongoIndexDto, NewMongoIndexDto } from './mongo-collections.dto.js';
import { MongoIndexesService } from './mongo-indexes.service.js';
import { TakesMongoTurn } from './mongo-turn.js';

@ApiTags('MongoDB collections')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_rejected', 'storage_unavailable')
@TakesMongoTurn()
@Controller('joint-api/mongo-collections/:db_id/:collection/indexes')
export class MongoIndexesController {
  constructor(private readonly indexes: MongoIndexesService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listMongoIndexes',
    summary: 'List the indexes of a collection',
    description: 'All of them, that of `_id` first.',
  })
  @ApiListResponse(MongoIndexDto)
  list(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
  ): Promise<List<MongoIndexDto>> {
    return this.indexes.list(user.id, dbId, collection);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createMongoIndex',
    summary: 'Add an index',
    description: 'The answer comes when it is built. With `_id` as its last field it serves paging by `after`.',
  })
  @ApiCreatedResponse({ type: MongoIndexDto })
  @ApiErrors('name_taken', 'storage_duplicate_key', 'quota_exceeded')
  create(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Body() body: NewMongoIndexDto,
  ): Promise<MongoIndexDto> {
    return this.indexes.create(user.id, dbId, collection, body);
  }

  @Delete(':index_name')
  @ApiOperation({
    operationId: 'deleteMongoIndex',
    summary: 'Delete an index',
    description: 'Documents stay. The index of `_id` cannot be deleted.',
  })
  @ApiOkResponse({ type: DeletedDto })
  delete(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Param('index_name') name: string,
  ): Promise<DeletedDto> {
    return this.indexes.delete(user.id, dbId, collection, name);
  }
}
