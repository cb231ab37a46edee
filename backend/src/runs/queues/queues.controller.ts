import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../platform/audit/audited.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { SORTABLE, SORTABLE_HOSTS } from './queue-lists.repository.js';
import { QueueDto, QueueHostDto, QueuesQuery, RetriedRequestsDto } from './queues.dto.js';
import { QueuesService } from './queues.service.js';

@ApiTags('Queues')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/queues')
export class QueuesController {
  constructor(private readonly queues: QueuesService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listQueues',
    summary: 'List queues',
    description: 'Lists the queues of requests that your runs fill and share.',
  })
  @ApiListResponse(QueueDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: QueuesQuery): Promise<List<QueueDto>> {
    return this.queues.list(user.id, query);
  }

  @Get(':queue_id')
  @ApiOperation({
    operationId: 'getQueue',
    summary: 'Get a queue',
    description: 'Shows how many requests of a queue wait, are taken, are done and have failed.',
  })
  @ApiOkResponse({ type: QueueDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('queue_id') id: string): Promise<QueueDto> {
    return this.queues.get(user.id, id);
  }

  @Get(':queue_id/hosts')
  @ApiOperation({
    operationId: 'listQueueHosts',
    summary: 'List the hosts of a queue',
    description: 'Lists the hosts of the requests, each with its counts and the request that is taken next.',
  })
  @ApiListResponse(QueueHostDto, SORTABLE_HOSTS)
  @ApiErrors('not_found')
  hosts(
    @CurrentUser() user: SessionUser,
    @PathId('queue_id') id: string,
    @Query() query: ListQuery,
  ): Promise<List<QueueHostDto>> {
    return this.queues.hosts(user.id, id, query);
  }

  @Post(':queue_id/retry-failed')
  @HttpCode(200)
  @Audited('queue')
  @ApiOperation({
    operationId: 'retryFailedRequests',
    summary: 'Retry failed requests',
    description:
      'Puts failed requests back, at most 100,000 of them, so that runs take them again with all their tries. It starts no run.',
  })
  @ApiOkResponse({ type: RetriedRequestsDto })
  @ApiErrors('not_found')
  retryFailed(@CurrentUser() user: SessionUser, @PathId('queue_id') id: string): Promise<RetriedRequestsDto> {
    return this.queues.retryFailed(user.id, id);
  }

  @Post(':queue_id/empty')
  @HttpCode(200)
  @Audited('queue')
  @ApiOperation({
    operationId: 'emptyQueue',
    summary: 'Empty a queue',
    description:
      'Deletes all requests, including requests that are done, and keeps the queue. Runs lose the requests that they have taken; requests that they add later are new.',
  })
  @ApiOkResponse({ type: QueueDto })
  @ApiErrors('not_found')
  empty(@CurrentUser() user: SessionUser, @PathId('queue_id') id: string): Promise<QueueDto> {
    return this.queues.empty(user.id, id);
  }

  @Delete(':queue_id')
  @Audited('queue')
  @ApiOperation({
    operationId: 'deleteQueue',
    summary: 'Delete a queue',
    description:
      'Deletes all requests, including requests that are done. A run that adds requests later creates an empty queue of the same name.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('queue_id') id: string): Promise<DeletedDto> {
    return this.queues.delete(user.id, id);
  }
}
