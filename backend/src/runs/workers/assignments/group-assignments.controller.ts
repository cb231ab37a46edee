import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../../../platform/auth/auth.guard.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { NewWorkerGroupAssignmentDto, WorkerGroupAssignmentDto } from './worker-assignments.dto.js';
import { SORTABLE, WorkerAssignmentsService } from './worker-assignments.service.js';

@ApiTags('Workers')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'not_found')
@Roles('admin')
@Controller('joint-api/worker-groups/:worker_group_id/assignments')
export class GroupAssignmentsController {
  constructor(private readonly assignments: WorkerAssignmentsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listWorkerGroupAssignments',
    summary: 'List the users of a worker group',
    description:
      'Lists the users that a group is assigned to. Administrators only; they can use every worker without an assignment.',
  })
  @ApiListResponse(WorkerGroupAssignmentDto, SORTABLE)
  list(@PathId('worker_group_id') groupId: string, @Query() query: ListQuery): Promise<List<WorkerGroupAssignmentDto>> {
    return this.assignments.list({ kind: 'group', id: groupId }, query, user => ({ group_id: groupId, ...user }));
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createWorkerGroupAssignment',
    summary: 'Assign a worker group to a user',
    description:
      'Lets a user see and choose all workers that the group has and gets later. Administrators only. A worker without the full sandbox still runs only skripts of the accounts from the first start.',
  })
  @ApiCreatedResponse({ type: WorkerGroupAssignmentDto })
  @ApiErrors('conflict')
  async create(
    @PathId('worker_group_id') groupId: string,
    @Body() { user_id }: NewWorkerGroupAssignmentDto,
  ): Promise<WorkerGroupAssignmentDto> {
    return { group_id: groupId, ...(await this.assignments.create({ kind: 'group', id: groupId }, user_id)) };
  }

  @Delete(':user_id')
  @ApiOperation({
    operationId: 'deleteWorkerGroupAssignment',
    summary: 'Remove a worker group from a user',
    description:
      'Removes an assignment. The user’s runs on workers of the group continue; runs that wait for one of them end with `worker_withdrawn`. Administrators only.',
  })
  @ApiOkResponse({ type: DeletedDto })
  delete(@PathId('worker_group_id') groupId: string, @PathId('user_id') userId: string): Promise<DeletedDto> {
    return this.assignments.delete({ kind: 'group', id: groupId }, userId);
  }
}
