import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { checkScope, NeedsScope } from '../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { PostgresCancelDto, PostgresQueryDto, PostgresQueryResultDto } from './postgres-console.dto.js';
import { isQuery, PostgresConsoleService } from './postgres-console.service.js';

const QUERY_WORDS = 'SELECT, WITH, VALUES, TABLE, EXPLAIN and SHOW';

@ApiTags('Storage: PostgreSQL')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'storage_unavailable')
@NeedsScope('read')
@Controller('joint-api/postgres/query')
export class PostgresConsoleController {
  constructor(private readonly console: PostgresConsoleService) {}

  @Post()
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'runPostgresQuery',
    summary: 'Execute an SQL statement',
    description:
      'Executes one statement in your PostgreSQL database, which the first call creates. The statement is read-only unless `read_only` is `false`. API keys need the scope `all` for that, and for statements that do not begin with `SELECT`, `WITH`, `VALUES`, `TABLE`, `EXPLAIN` or `SHOW`. Limits: 30 s, 1,000 rows, and 4 MB of values. If you disconnect, Trawl cancels the statement.',
  })
  @ApiOkResponse({ type: PostgresQueryResultDto })
  @ApiErrors(
    'forbidden',
    'storage_rejected',
    'storage_duplicate_key',
    'storage_outcome_unknown',
    'storage_unavailable',
    'payload_too_large',
    'too_many_requests',
  )
  async query(
    @CurrentUser() user: SessionUser,
    @Body() body: PostgresQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PostgresQueryResultDto> {
    if (user.key && !body.read_only) checkScope(user.key, 'all', 'A statement with `read_only: false`');
    if (user.key && !isQuery(body.sql)) checkScope(user.key, 'all', `A statement other than ${QUERY_WORDS}`);
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    return this.console.query(user.id, body, disconnected.signal);
  }

  @Post(':query_id/cancel')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelPostgresQuery',
    summary: 'Cancel a running query',
    description:
      'Cancels the query with this `query_id`, also while it waits for a connection. The query then returns `storage_rejected`. If there is no such query yet, `cancelled` is `false`; repeat the call if you have just sent the query. An API key with the scope `read` cancels read-only queries only.',
  })
  @ApiOkResponse({ type: PostgresCancelDto })
  cancel(@CurrentUser() user: SessionUser, @PathId('query_id') queryId: string): Promise<PostgresCancelDto> {
    return this.console.cancel(user.id, queryId, user.key?.scope !== 'read');
  }
}
