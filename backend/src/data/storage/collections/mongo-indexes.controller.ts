import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { LimitMongoCalls } from '../access/mongo-call-limit.interceptor.js';
import { MongoIndexDto, NewMongoIndexDto } from './mongo-indexes.dto.js';
import { MongoIndexesService } from './mongo-indexes.service.js';

@ApiTags('MongoDB collections')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_rejected', 'storage_unavailable')
@LimitMongoCalls()
@Controller('joint-api/mongo-collections/:db_id/:collection/indexes')
export class MongoIndexesController {
  constructor(private readonly indexes: MongoIndexesService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listMongoIndexes',
    summary: 'List the indexes of a collection',
    description: 'Returns all indexes, starting with the one on `_id`.',
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
    description: 'Answers when MongoDB has built the index. Put `_id` last to make paging with `after` fast.',
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
    description: 'Keeps the documents. You cannot delete the index on `_id`.',
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
