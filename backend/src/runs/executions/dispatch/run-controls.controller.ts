import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ExecutionDto } from '../records/executions.dto.js';
import { RunControlsService } from './run-controls.service.js';

const SAME_RUN = 'The call also works with the id of an earlier attempt: then it reaches the live retry.';

/**
 * Commands for one run by POST. The specification has them by GET too, but generated clients cache and repeat GET
 * calls.
 */
@ApiTags('Execute skript')
@NeedsScope('run')
@ApiBearerAuth()
@Controller('joint-api/skript-execution/:skriptExecution_id')
export class RunControlsController {
  constructor(private readonly controls: RunControlsService) {}

  @Post('stop')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'stopExecution',
    summary: 'Stop one run',
    description: `Stops a live run. The skript is notified; after two seconds the worker kills its processes. ${SAME_RUN}`,
  })
  @ApiOkResponse({ type: ExecutionDto, isArray: true, description: 'A list with the run.' })
  @ApiErrors('validation_failed', 'unauthorized', 'no_live_run')
  stop(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<ExecutionDto[]> {
    return this.controls.command(user.id, { execution_id: id }, 'stop');
  }

  @Post('pause')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'pauseExecution',
    summary: 'Pause one run',
    description: `Pauses a live run: freezes its processes and its time limit. ${SAME_RUN}`,
  })
  @ApiOkResponse({
    type: ExecutionDto,
    isArray: true,
    description:
      'A list with the run. Its `action` becomes `pause` once the worker has paused it, which may be after this answer.',
  })
  @ApiErrors('validation_failed', 'unauthorized', 'no_live_run', 'pause_not_available')
  pause(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<ExecutionDto[]> {
    return this.controls.command(user.id, { execution_id: id }, 'pause');
  }

  @Post('resume')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'resumeExecution',
    summary: 'Resume one run',
    description: `Resumes a paused run. Has no effect on a live run that is not paused. ${SAME_RUN}`,
  })
  @ApiOkResponse({
    type: ExecutionDto,
    isArray: true,
    description: 'A list with the run. Its `action` is `start` again.',
  })
  @ApiErrors('validation_failed', 'unauthorized', 'no_live_run')
  resume(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<ExecutionDto[]> {
    return this.controls.command(user.id, { execution_id: id }, 'resume');
  }
}
