import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { RunProxyDto } from './run-proxies.dto.js';
import { RunProxiesRepository, SORTABLE } from './run-proxies.repository.js';

@ApiTags('Skript executions')
@ApiBearerAuth()
@Controller('joint-api/skript-execution/:skriptExecution_id/proxies')
export class RunProxiesController {
  constructor(private readonly proxies: RunProxiesRepository) {}

  @Get()
  @ApiOperation({
    operationId: 'listRunProxies',
    summary: 'List the proxies of a run',
    description:
      'Lists the proxies that a run has used, with the connections, failures and bytes of each. While the run is live, the figures are about a second old.',
  })
  @ApiListResponse(RunProxyDto, SORTABLE)
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  list(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @Query() query: ListQuery,
  ): Promise<List<RunProxyDto>> {
    return this.proxies.page(user.id, id, query);
  }
}
