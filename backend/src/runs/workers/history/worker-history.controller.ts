import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { WorkerHistoryDto } from './worker-history.dto.js';
import { WorkerHistory } from './worker-history.service.js';

@ApiTags('Workers')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/workers/:worker_id/history')
export class WorkerHistoryController {
  constructor(private readonly history: WorkerHistory) {}

  @Get()
  @ApiOperation({
    operationId: 'getWorkerHistory',
    summary: 'Get the history of a worker',
    description:
      'Returns how busy the worker was in the last 24 hours: one sample every five minutes. The worker must be public or assigned to you. Administrators can get the history of any worker.',
  })
  @ApiOkResponse({ type: WorkerHistoryDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('worker_id') id: string): Promise<WorkerHistoryDto> {
    return this.history.of(user, id);
  }
}
