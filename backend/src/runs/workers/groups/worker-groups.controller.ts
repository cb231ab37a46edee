import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../../../platform/auth/auth.guard.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { NewWorkerGroupDto, UpdateWorkerGroupDto, WorkerGroupDto, WorkerGroupKeyDto } from './worker-groups.dto.js';
import { SORTABLE } from './worker-groups.repository.js';
import { WorkerGroupsService } from './worker-groups.service.js';

@ApiTags('Workers')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'forbidden')
@Roles('admin')
@Controller()
export class WorkerGroupsController {
  constructor(private readonly groups: WorkerGroupsService) {}

  @Get('apps/worker-groups/list')
  @ApiOperation({
    operationId: 'listWorkerGroups',
    summary: 'List worker groups',
    description: 'Lists the groups of workers that share a key. Administrators only.',
  })
  @ApiListResponse(WorkerGroupDto, SORTABLE)
  list(@Query() query: ListQuery): Promise<List<WorkerGroupDto>> {
    return this.groups.list(query);
  }

  @Post('joint-api/worker-groups/addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createWorkerGroup',
    summary: 'Create a worker group',
    description:
      'Creates a group and its key. Each process that connects with the key becomes a worker of the group. Administrators only.',
  })
  @ApiCreatedResponse({ type: WorkerGroupKeyDto })
  @ApiErrors('name_taken')
  create(@Body() body: NewWorkerGroupDto): Promise<WorkerGroupKeyDto> {
    return this.groups.create(body);
  }

  @Put('joint-api/worker-groups/:worker_group_id')
  @ApiOperation({
    operationId: 'updateWorkerGroup',
    summary: 'Change a worker group',
    description:
      'Changes the name of a group, or whether its workers are public. Its workers keep their names; new ones get the new name. If you make the group private, waiting runs of users without an assignment end with `worker_withdrawn`. Administrators only.',
  })
  @ApiOkResponse({ type: WorkerGroupDto })
  @ApiErrors('not_found', 'name_taken')
  update(@PathId('worker_group_id') id: string, @Body() body: UpdateWorkerGroupDto): Promise<WorkerGroupDto> {
    return this.groups.update(id, body);
  }

  @Post('joint-api/worker-groups/:worker_group_id/key')
  @ApiOperation({
    operationId: 'rotateWorkerGroupKey',
    summary: 'Rotate the key of a worker group',
    description:
      'Creates a new key. The old key and the connections of all workers of the group end at once. Runs on a worker are lost unless it reconnects with the new key before its lease expires (12 seconds by default). Administrators only.',
  })
  @ApiCreatedResponse({ type: WorkerGroupKeyDto })
  @ApiErrors('not_found')
  rotateKey(@PathId('worker_group_id') id: string): Promise<WorkerGroupKeyDto> {
    return this.groups.rotateKey(id);
  }

  @Delete('joint-api/worker-groups/:worker_group_id')
  @ApiOperation({
    operationId: 'deleteWorkerGroup',
    summary: 'Delete a worker group',
    description:
      'Deletes a group with its workers, their assignments and connections. Runs that wait for one of them end with `worker_withdrawn`. Refused while one of them has runs. Administrators only.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found', 'has_live_run')
  delete(@PathId('worker_group_id') id: string): Promise<DeletedDto> {
    return this.groups.delete(id);
  }
}
