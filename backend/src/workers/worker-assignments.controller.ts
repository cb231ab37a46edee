import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../auth/auth.guard.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List, ListQuery } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { WorkerAssignmentsService } from './worker-assignments.service.js';
import { NewWorkerAssignmentDto, WorkerAssignmentDto } from './workers.dto.js';

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
    description: 'Those whom it is assigned to. For administrators, who may use every worker without.',
  })
  @ApiListResponse(WorkerAssignmentDto)
  list(@PathId('worker_id') workerId: string, @Query() query: ListQuery): Promise<List<WorkerAssignmentDto>> {
    return this.assignments.list(workerId, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createWorkerAssignment',
    summary: 'Assign a worker to a user',
    description:
      'The user sees the worker and may choose it from now on, public or not. For administrators. What is below the full sandbox runs skripts of the accounts of the first start only, assigned or not.',
  })
  @ApiCreatedResponse({ type: WorkerAssignmentDto })
  @ApiErrors('conflict')
  create(
    @PathId('worker_id') workerId: string,
    @Body() { user_id }: NewWorkerAssignmentDto,
  ): Promise<WorkerAssignmentDto> {
    return this.assignments.create(workerId, user_id);
  }

  @Delete(':user_id')
  @ApiOperation({
    operationId: 'deleteWorkerAssignment',
    summary: 'Take a worker from a user',
    description:
      'Runs of the user that are under way on it go on; those that wait for it end with `worker_withdrawn`. For administrators.',
  })
  @ApiOkResponse({ type: DeletedDto })
  delete(@PathId('worker_id') workerId: string, @PathId('user_id') userId: string): Promise<DeletedDto> {
    return this.assignments.delete(workerId, userId);
  }
}
