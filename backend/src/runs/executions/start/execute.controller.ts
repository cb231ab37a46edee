import type { IncomingHttpHeaders } from 'node:http';
import { Body, Controller, Get, Headers, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isLive } from '@trawl/contracts';
import type { Response } from 'express';
import { Audited } from '../../../platform/audit/audited.js';
import { NeedsScope } from '../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { Waiting, type WaitingCall } from '../../../platform/auth/waiting-call.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiIdempotencyKey, IDEMPOTENCY_REPLAYED, idempotencyKeyOf } from '../../../platform/idempotency/idempotent.js';
import { RunControlsService } from '../dispatch/run-controls.service.js';
import { ControlQuery, ExecutionDto } from '../records/executions.dto.js';
import { WaitsService } from '../records/waits.service.js';
import type { StartRequest } from './prepared-start.js';
import { StartDto, StartQuery, StartStoredQuery } from './start.dto.js';
import { defaultWaitMs, optionsOf, valueOrId } from './start-options.js';
import { StartsService } from './starts.service.js';

const START_ERRORS = [
  'validation_failed',
  'unauthorized',
  'forbidden',
  'not_found',
  'already_running',
  'main_missing',
  'bundle_failed',
  'environment_not_available',
  'quota_exceeded',
  'too_many_requests',
  'service_unavailable',
] as const;

@ApiTags('Execute skript')
@NeedsScope('run')
@Audited('skriptExecution')
@ApiBearerAuth()
@Controller('joint-api/execute-skript/single-worker')
export class ExecuteController {
  constructor(
    private readonly starts: StartsService,
    private readonly controls: RunControlsService,
    private readonly waits: WaitsService,
  ) {}

  @Post('start')
  @ApiOperation({
    operationId: 'startSkript',
    summary: 'Start a skript',
    description:
      'Runs a skript on a worker with the values in the body, or with saved ones. Rebuilds the bundle first if the files have changed.',
  })
  @ApiIdempotencyKey()
  @ApiOkResponse({ type: ExecutionDto, description: 'The run has ended, successfully or not.' })
  @ApiAcceptedResponse({ type: ExecutionDto, description: 'The run is still live.' })
  @ApiErrors(...START_ERRORS)
  start(
    @CurrentUser() user: SessionUser,
    @Query() query: StartQuery,
    @Body() body: StartDto,
    @Res({ passthrough: true }) response: Response,
    @Headers() headers: IncomingHttpHeaders,
    @Waiting() call: WaitingCall,
  ): Promise<ExecutionDto> {
    const start: StartRequest = {
      workerId: body.worker_id,
      skriptId: body.skript_id,
      ...optionsOf(query),
      idempotencyKey: idempotencyKeyOf({ headers }),
      input: valueOrId(body, 'input', 'input_id'),
      inputSecret: valueOrId(body, 'inputSecret', 'inputSecret_id'),
    };
    return this.#startAndWait(user, start, query.wait_ms, call, response);
  }

  @Get('start')
  @ApiOperation({
    operationId: 'startStoredSkript',
    summary: 'Start a skript with saved values',
    description:
      'Runs a skript on a worker with a saved input and input secret. Clients that cache or repeat GET calls should start by POST.',
  })
  @ApiIdempotencyKey()
  @ApiOkResponse({ type: ExecutionDto, description: 'The run has ended, successfully or not.' })
  @ApiAcceptedResponse({ type: ExecutionDto, description: 'The run is still live.' })
  @ApiErrors(...START_ERRORS)
  startStored(
    @CurrentUser() user: SessionUser,
    @Query() query: StartStoredQuery,
    @Res({ passthrough: true }) response: Response,
    @Headers() headers: IncomingHttpHeaders,
    @Waiting() call: WaitingCall,
  ): Promise<ExecutionDto> {
    const start: StartRequest = {
      workerId: query.worker_id,
      skriptId: query.skript_id,
      ...optionsOf(query),
      idempotencyKey: idempotencyKeyOf({ headers }),
      input: query.input_id ? { id: query.input_id } : null,
      inputSecret: query.inputSecret_id ? { id: query.inputSecret_id } : null,
    };
    return this.#startAndWait(user, start, query.wait_ms, call, response);
  }

  @Get('stop')
  @ApiOperation({
    operationId: 'stopSkript',
    summary: 'Stop runs',
    description:
      'Stops every live run that matches. The skript is notified; after two seconds the worker kills its processes.',
  })
  @ApiOkResponse({ type: ExecutionDto, isArray: true })
  @ApiErrors('validation_failed', 'unauthorized', 'no_live_run')
  stop(@CurrentUser() user: SessionUser, @Query() query: ControlQuery): Promise<ExecutionDto[]> {
    return this.controls.command(user.id, query, 'stop');
  }

  @Get('pause')
  @ApiOperation({
    operationId: 'pauseSkript',
    summary: 'Pause runs',
    description:
      'Pauses every live run that matches: freezes its processes and its time limit. ' +
      'The run keeps its memory on the worker, and gives its slot to another run while memory is free. A run that is waiting for a worker does not start until you resume it.',
  })
  @ApiOkResponse({
    type: ExecutionDto,
    isArray: true,
    description:
      'The runs. `action` becomes `pause` once the worker has paused the run, which may be after this answer.',
  })
  @ApiErrors('validation_failed', 'unauthorized', 'no_live_run', 'pause_not_available')
  pause(@CurrentUser() user: SessionUser, @Query() query: ControlQuery): Promise<ExecutionDto[]> {
    return this.controls.command(user.id, query, 'pause');
  }

  @Get('resume')
  @ApiOperation({
    operationId: 'resumeSkript',
    summary: 'Resume runs',
    description: 'Resumes every paused run that matches. Has no effect on runs that are not paused.',
  })
  @ApiOkResponse({ type: ExecutionDto, isArray: true, description: 'The runs. `action` is `start` again.' })
  @ApiErrors('validation_failed', 'unauthorized', 'no_live_run')
  resume(@CurrentUser() user: SessionUser, @Query() query: ControlQuery): Promise<ExecutionDto[]> {
    return this.controls.command(user.id, query, 'resume');
  }

  async #startAndWait(
    user: SessionUser,
    start: StartRequest,
    waitMs: number | undefined,
    call: WaitingCall,
    response: Response,
  ): Promise<ExecutionDto> {
    const run = await this.starts.start(user, start);
    if (run.isJoined) response.setHeader(IDEMPOTENCY_REPLAYED, 'true');
    const wait = { id: run.id, followsRetries: run.retries > 0, isNew: !run.isJoined };
    const execution = await this.waits.forEnd(user.id, wait, waitMs ?? defaultWaitMs(run), call);
    response.status(isLive(execution.action) ? 202 : 200);
    return execution;
  }
}
