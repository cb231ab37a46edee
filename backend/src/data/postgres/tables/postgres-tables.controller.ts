import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../../platform/http/lists/list-query.js';
import { GroupsDto } from '../../storage/documents/groups.dto.js';
import {
  PostgresGroupsQuery,
  PostgresRowsDto,
  PostgresRowsQuery,
  PostgresTableDetailsDto,
  PostgresTableDto,
  PostgresTableQuery,
  PostgresTablesQuery,
} from './postgres-tables.dto.js';
import { PostgresTablesService } from './postgres-tables.service.js';

@ApiTags('Storage: PostgreSQL')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'storage_rejected', 'storage_unavailable', 'too_many_requests')
@Controller('joint-api/postgres-tables')
export class PostgresTablesController {
  constructor(private readonly tables: PostgresTablesService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listPostgresTables',
    summary: 'List your PostgreSQL tables',
    description:
      'Lists tables, views and materialized views of all schemas. The list is empty until a run or a query creates a table.',
  })
  @ApiListResponse(PostgresTableDto)
  list(@CurrentUser() user: SessionUser, @Query() query: PostgresTablesQuery): Promise<List<PostgresTableDto>> {
    return this.tables.list(user.id, query);
  }

  @Get(':table')
  @ApiOperation({
    operationId: 'getPostgresTable',
    summary: 'Get a table, with its columns',
    description: 'Returns the columns in their order, with types and default values.',
  })
  @ApiOkResponse({ type: PostgresTableDetailsDto })
  @ApiErrors('not_found')
  get(
    @CurrentUser() user: SessionUser,
    @Param('table') table: string,
    @Query() query: PostgresTableQuery,
  ): Promise<PostgresTableDetailsDto> {
    return this.tables.get(user.id, query.schema, table);
  }

  @Get(':table/rows')
  @ApiOperation({
    operationId: 'listPostgresRows',
    summary: 'List the rows of a table',
    description: 'Limits: 30 s, and 4 MB of values. For conditions and joins, use `POST /joint-api/postgres/query`.',
  })
  @ApiOkResponse({ type: PostgresRowsDto })
  @ApiErrors('not_found', 'payload_too_large')
  rows(
    @CurrentUser() user: SessionUser,
    @Param('table') table: string,
    @Query() query: PostgresRowsQuery,
  ): Promise<PostgresRowsDto> {
    return this.tables.rows(user.id, table, query);
  }

  @Get(':table/groups')
  @ApiOperation({
    operationId: 'groupPostgresRows',
    summary: 'Group the rows by a column, or over time',
    description:
      'Counts the rows of each group and, with `of`, adds up the numbers of a column. Limits: 30 s, and 1,000 groups.',
  })
  @ApiOkResponse({ type: GroupsDto })
  @ApiErrors('not_found', 'payload_too_large')
  groups(
    @CurrentUser() user: SessionUser,
    @Param('table') table: string,
    @Query() query: PostgresGroupsQuery,
  ): Promise<GroupsDto> {
    return this.tables.groups(user.id, table, query);
  }
}
