import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { CreatedWorkerDto, NewWorkerDto, WorkerDto, WorkersListQuery } from './workers.dto.js';
import { WorkersService } from './workers.service.js';

@ApiTags('Workers')
@ApiBearerAuth()
@Controller()
export class WorkersController {
  constructor(private readonly workers: WorkersService) {}

  @Get('apps/workers/list')
  @ApiOperation({
    operationId: 'listWorkers',
    summary: 'List workers',
    description:
      'Public workers and those assigned to you; `usable` says which of them may run your skripts. Administrators see all.',
  })
  @ApiListResponse(WorkerDto)
  @ApiErrors('validation_failed', 'unauthorized')
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
  @ApiCreatedResponse({ type: CreatedWorkerDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'name_taken')
  create(@CurrentUser() user: SessionUser, @Body() body: NewWorkerDto): Promise<CreatedWorkerDto> {
    return this.workers.create(user, body);
  }
}
