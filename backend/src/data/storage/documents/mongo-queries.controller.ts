import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { LimitMongoCalls } from '../access/mongo-call-limit.interceptor.js';
import { GroupsDto, MongoGroupsQuery } from './groups.dto.js';
import { MongoAggregationsService } from './mongo-aggregations.service.js';
import { anyDocument } from './mongo-documents.controller.js';
import {
  MongoAggregateDto,
  MongoCountDto,
  MongoDistinctDto,
  MongoDistinctQuery,
  MongoFilterQuery,
} from './mongo-documents.dto.js';

const results = {
  type: 'object' as const,
  required: ['items'],
  properties: {
    items: {
      type: 'array' as const,
      items: { ...anyDocument, description: 'A result, as Extended JSON, or plain JSON with `format: relaxed`.' },
    },
    truncated: { type: 'boolean' as const, description: 'True if there are more than `limit` results.' },
  },
};

@ApiTags('Storage: MongoDB')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_rejected', 'storage_unavailable')
@LimitMongoCalls()
@Controller('joint-api/mongo/:db_id/:collection')
export class MongoQueriesController {
  constructor(private readonly aggregations: MongoAggregationsService) {}

  @Get('count')
  @ApiOperation({
    operationId: 'countMongoDocuments',
    summary: 'Count the documents that match a filter',
    description:
      'Counts matching documents, at most 10,000 of them. If more match, `total` is 10,000 and `total_capped` is true. Without a filter, counts the whole collection.',
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
    summary: 'List the distinct values of a field',
    description: 'Returns values in MongoDB’s sort order. Each item of a list counts as a value.',
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

  @Get('groups')
  @ApiOperation({
    operationId: 'groupMongoDocuments',
    summary: 'Group the documents by a field, or over time',
    description:
      'Counts the documents of each group and, with `of`, adds up the numbers of a field. Limits: 10 s, and 1,000 groups.',
  })
  @ApiOkResponse({ type: GroupsDto })
  @ApiErrors('payload_too_large')
  groups(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Query() query: MongoGroupsQuery,
  ): Promise<GroupsDto> {
    return this.aggregations.groups(user.id, dbId, collection, query);
  }

  @Post('aggregate')
  @HttpCode(200)
  @NeedsScope('read')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @ApiOperation({
    operationId: 'aggregateMongoDocuments',
    summary: 'Run an aggregation over a collection',
    description: 'Read-only. Limits: 10 s, and 16 MB of results.',
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
