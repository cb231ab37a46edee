import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { PathId } from '../common/path-id.js';
import { MongoAggregationsService } from './mongo-aggregations.service.js';
import { anyDocument } from './mongo-documents.controller.js';
import {
  MongoAggregateDto,
  MongoCountDto,
  MongoDistinctDto,
  MongoDistinctQuery,
  MongoFilterQuery,
} from './mongo-documents.dto.js';
import { TakesMongoTurn } from './mongo-turn.js';

const results = {
  type: 'object' as const,
  required: ['items'],
  properties: {
    items: { type: 'array' as const, items: { ...anyDocument, description: 'A result, as relaxed Extended JSON.' } },
    truncated: { type: 'boolean' as const, description: 'True when there are more than `limit` results.' },
  },
};

@ApiTags('Storage: MongoDB')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_rejected', 'storage_unavailable')
@TakesMongoTurn()
@Controller('joint-api/mongo/:db_id/:collection')
export class MongoQueriesController {
  constructor(private readonly aggregations: MongoAggregationsService) {}

  @Get('count')
  @ApiOperation({
    operationId: 'countMongoDocuments',
    summary: 'Count the documents that a filter finds',
    description: 'Exact to 10,000; without a filter, all of the collection.',
  })
  @ApiOkResponse({ type: MongoCountDto })
  count(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Query() query: MongoFilterQuery,
  ): Promise<MongoCountDto> {
    return this.aggregations.count(user.id, dbId, collection, query);
  }

  @Get('distinct')
  @ApiOperation({
    operationId: 'listMongoValues',
    summary: 'List the values that a field has, each once',
    description: 'Sorted as MongoDB sorts; of a list, each of its items is a value.',
  })
  @ApiOkResponse({ type: MongoDistinctDto })
  @ApiErrors('payload_too_large')
  distinct(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Query() query: MongoDistinctQuery,
  ): Promise<MongoDistinctDto> {
    return this.aggregations.distinct(user.id, dbId, collection, query);
  }

  @Post('aggregate')
  @HttpCode(200)
  @NeedsScope('read')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @ApiOperation({
    operationId: 'aggregateMongoDocuments',
    summary: 'Run an aggregation over a collection',
    description: 'It changes nothing. MongoDB works on it for 10 s at most; results have 16 MB together at most.',
  })
  @ApiOkResponse({ schema: results })
  @ApiErrors('payload_too_large')
  aggregate(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Body() body: MongoAggregateDto,
  ): Promise<string> {
    return this.aggregations.aggregate(user.id, dbId, collection, body);
  }
}
