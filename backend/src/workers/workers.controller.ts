import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Roles } from '../auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { RestartsService } from './restarts.service.js';
import {
  NewWorkerDto,
  RestartWorkerDto,
  UpdateWorkerDto,
  WorkerDto,
  WorkerKeyDto,
  WorkersListQuery,
} from './workers.dto.js';
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
      'Public workers and those assigned to you; `usable` says which of them may run your skripts. Administrators see all.',
  })
  @ApiListResponse(WorkerDto)
  list(@CurrentUser() user: SessionUser, @Query() query: WorkersListQuery): Promise<List<WorkerDto>> {
    return this.workers.list(user, query);
  }

  @Post('joint-api/workers/addnew')
  @Idempotent()
  @Roles('admin')
  @ApiOperation({
    operationId: 'createWorker',
    summary: 'Create a worker',
    description: 'Makes a worker and the key with which it connects. For administrators.',
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
    description: 'One that is public or assigned to you; administrators get any.',
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
      'Its name, and whether it is public. When it no longer is, runs of others that wait for it end with `worker_withdrawn`. For administrators.',
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
      'Ends its connection and its assignments; runs that wait for it end with `worker_withdrawn`, and accounts that lose their free worker wait for another. Refused while runs are under way on it. For administrators.',
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
    summary: 'Give a worker a new key',
    description:
      'The old key ends at once, and with it the connection. Runs under way are lost unless the worker is back with the new key within 12 seconds, so drain it first. For administrators.',
  })
  @ApiCreatedResponse({ type: WorkerKeyDto })
  @ApiErrors('forbidden', 'not_found')
  rotateKey(@CurrentUser() user: SessionUser, @PathId('worker_id') id: string): Promise<WorkerKeyDto> {
    return this.workers.rotateKey(user, id);
  }

  @Post('joint-api/workers/:worker_id/restart')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'restartWorker',
    summary: 'Restart a worker',
    description:
      'Answers when the order is kept; the worker then takes no more runs, and comes back by itself as a new process. For administrators, and for the only user of a worker that is not public.',
  })
  @ApiAcceptedResponse({ type: WorkerDto })
  @ApiErrors('forbidden', 'not_found', 'worker_offline')
  async restart(
    @CurrentUser() user: SessionUser,
    @PathId('worker_id') id: string,
    @Body() { mode }: RestartWorkerDto,
  ): Promise<WorkerDto> {
    await this.restarts.ask(user, id, mode);
    return this.workers.get(user, id);
  }
}
