import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Roles } from '../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { Idempotent } from '../../platform/idempotency/idempotent.js';
import { RestartsService } from './restarts.service.js';
import {
  NewWorkerDto,
  RestartWorkerDto,
  UpdateWorkerDto,
  WorkerDto,
  WorkerKeyDto,
  WorkersListQuery,
} from './workers.dto.js';
import { SORTABLE } from './workers.repository.js';
import { WorkersService } from './workers.service.js';

@ApiTags('Workers')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller()
export class WorkersController {
  constructor(
    private readonly workers: WorkersService,
    private readonly restarts: RestartsService,
  ) {}

  @Get('apps/workers/list')
  @ApiOperation({
    operationId: 'listWorkers',
    summary: 'List workers',
    description:
      'Lists public workers and those assigned to you. `usable` says whether a worker can run your skripts. Administrators see all workers.',
  })
  @ApiListResponse(WorkerDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: WorkersListQuery): Promise<List<WorkerDto>> {
    return this.workers.list(user, query);
  }

  @Post('joint-api/workers/addnew')
  @Idempotent()
  @Roles('admin')
  @ApiOperation({
    operationId: 'createWorker',
    summary: 'Create a worker',
    description: 'Creates a worker and the key that it connects with. Administrators only.',
  })
  @ApiCreatedResponse({ type: WorkerKeyDto })
  @ApiErrors('forbidden', 'name_taken')
  create(@CurrentUser() user: SessionUser, @Body() body: NewWorkerDto): Promise<WorkerKeyDto> {
    return this.workers.create(user, body);
  }

  @Get('joint-api/workers/:worker_id')
  @ApiOperation({
    operationId: 'getWorker',
    summary: 'Get a worker',
    description: 'Returns a worker that is public or assigned to you. Administrators can get any worker.',
  })
  @ApiOkResponse({ type: WorkerDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('worker_id') id: string): Promise<WorkerDto> {
    return this.workers.get(user, id);
  }

  @Put('joint-api/workers/:worker_id')
  @Roles('admin')
  @ApiOperation({
    operationId: 'updateWorker',
    summary: 'Change a worker',
    description:
      'Changes the name of a worker, or whether it is public. If you make it private, waiting runs of users without an assignment end with `worker_withdrawn`. Administrators only.',
  })
  @ApiOkResponse({ type: WorkerDto })
  @ApiErrors('forbidden', 'not_found', 'name_taken')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('worker_id') id: string,
    @Body() body: UpdateWorkerDto,
  ): Promise<WorkerDto> {
    return this.workers.update(user, id, body);
  }

  @Delete('joint-api/workers/:worker_id')
  @Roles('admin')
  @ApiOperation({
    operationId: 'deleteWorker',
    summary: 'Delete a worker',
    description:
      'Deletes a worker, its assignments and its connection. Runs that wait for it end with `worker_withdrawn`, and accounts that lose their free worker wait for another one. Refused while the worker has runs. Administrators only.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('forbidden', 'not_found', 'has_live_run')
  delete(@PathId('worker_id') id: string): Promise<DeletedDto> {
    return this.workers.delete(id);
  }

  @Post('joint-api/workers/:worker_id/key')
  @Roles('admin')
  @ApiOperation({
    operationId: 'rotateWorkerKey',
    summary: 'Rotate the key of a worker',
    description:
      'Creates a new key. The old key and its connection end at once. Runs on the worker are lost unless it reconnects with the new key before its lease expires (12 seconds by default). First wait until its runs have ended. Refused for a worker of a group, which has the key of the group. Administrators only.',
  })
  @ApiCreatedResponse({ type: WorkerKeyDto })
  @ApiErrors('forbidden', 'not_found', 'conflict')
  rotateKey(@CurrentUser() user: SessionUser, @PathId('worker_id') id: string): Promise<WorkerKeyDto> {
    return this.workers.rotateKey(user, id);
  }

  @Post('joint-api/workers/:worker_id/restart')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'restartWorker',
    summary: 'Restart a worker',
    description:
      'Tells a worker to restart and answers once the request is saved. The worker takes no more runs, then restarts as a new process. For administrators, and for the only user of a private worker.',
  })
  @ApiAcceptedResponse({ type: WorkerDto })
  @ApiErrors('forbidden', 'not_found', 'worker_offline')
  async restart(
    @CurrentUser() user: SessionUser,
    @PathId('worker_id') id: string,
    @Body() { mode }: RestartWorkerDto,
  ): Promise<WorkerDto> {
    await this.restarts.request(user, id, mode);
    return this.workers.get(user, id);
  }
}
