import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../../../platform/auth/auth.guard.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { NewWorkerAssignmentDto, WorkerAssignmentDto } from './worker-assignments.dto.js';
import { SORTABLE, WorkerAssignmentsService } from './worker-assignments.service.js';

@ApiTags('Workers')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'not_found')
@Roles('admin')
@Controller('joint-api/workers/:worker_id/assignments')
export class WorkerAssignmentsController {
  constructor(private readonly assignments: WorkerAssignmentsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listWorkerAssignments',
    summary: 'List the users of a worker',
    description:
      'Lists the users that a worker is assigned to. Administrators only; they can use every worker without an assignment.',
  })
  @ApiListResponse(WorkerAssignmentDto, SORTABLE)
  list(@PathId('worker_id') workerId: string, @Query() query: ListQuery): Promise<List<WorkerAssignmentDto>> {
    return this.assignments.list({ kind: 'worker', id: workerId }, query, user => ({ worker_id: workerId, ...user }));
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createWorkerAssignment',
    summary: 'Assign a worker to a user',
    description:
      'Lets a user see and choose a worker that is not public. Administrators only. A worker without the full sandbox still runs only skripts of the accounts from the first start.',
  })
  @ApiCreatedResponse({ type: WorkerAssignmentDto })
  @ApiErrors('conflict')
  async create(
    @PathId('worker_id') workerId: string,
    @Body() { user_id }: NewWorkerAssignmentDto,
  ): Promise<WorkerAssignmentDto> {
    return { worker_id: workerId, ...(await this.assignments.create({ kind: 'worker', id: workerId }, user_id)) };
  }

  @Delete(':user_id')
  @ApiOperation({
    operationId: 'deleteWorkerAssignment',
    summary: 'Remove a worker from a user',
    description:
      'Removes an assignment. The user’s runs on the worker continue; runs that wait for it end with `worker_withdrawn`. Administrators only.',
  })
  @ApiOkResponse({ type: DeletedDto })
  delete(@PathId('worker_id') workerId: string, @PathId('user_id') userId: string): Promise<DeletedDto> {
    return this.assignments.delete({ kind: 'worker', id: workerId }, userId);
  }
}
