import type { IncomingHttpHeaders } from 'node:http';
import { Body, Controller, Get, Headers, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isLive } from '@trawl/contracts';
import type { Response } from 'express';
import { Audited } from '../audit/audited.js';
import { NeedsScope } from '../auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { Waiting, type WaitingCall } from '../auth/waiting-call.js';
import { ApiErrors } from '../common/api-errors.js';
import { ApiIdempotencyKey, IDEMPOTENCY_REPLAYED, idempotencyKeyOf } from '../idempotency/idempotent.js';
import { ControlsService } from './controls.service.js';
import { ControlQuery, ExecutionDto, StartDto, StartQuery, StartStoredQuery } from './executions.dto.js';
import { longestMs, optionsOf } from './start-options.js';
import { type StartRequest, StartsService } from './starts.service.js';
import { WaitsService } from './waits.service.js';

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
    private readonly controls: ControlsService,
    private readonly waits: WaitsService,
  ) {}

  @Post('start')
  @ApiOperation({
    operationId: 'startSkript',
    summary: 'Start a skript',
    description:
      'Runs a skript on a worker with the values in the body. The bundle is rebuilt first when the files have changed.',
  })
  @ApiIdempotencyKey()
  @ApiOkResponse({ type: ExecutionDto, description: 'The run has ended, in whichever way.' })
  @ApiAcceptedResponse({ type: ExecutionDto, description: 'The run goes on.' })
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
      input: body.input === undefined ? null : { value: body.input },
      inputSecret: body.inputSecret === undefined ? null : { value: body.inputSecret },
    };
    return this.#startAndWait(user, start, query.wait_ms, call, response);
  }

  @Get('start')
  @ApiOperation({
    operationId: 'startStoredSkript',
    summary: 'Start a skript with stored values',
    description: 'The same with a stored input and input secret.',
  })
  @ApiIdempotencyKey()
  @ApiOkResponse({ type: ExecutionDto, description: 'The run has ended, in whichever way.' })
  @ApiAcceptedResponse({ type: ExecutionDto, description: 'The run goes on.' })
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
      'Stops every run that goes on and matches. The skript is told; after two seconds its processes are killed.',
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
      'Pauses every run that goes on and matches: all of its processes stand still where they are, and its time limit with them. ' +
      'It keeps its place on the worker. One that waits for a worker is not begun until it is resumed.',
  })
  @ApiOkResponse({
    type: ExecutionDto,
    isArray: true,
    description: 'The runs; `action` is `pause` as soon as the worker has done it, which may be after this answer.',
  })
  @ApiErrors('validation_failed', 'unauthorized', 'no_live_run', 'pause_not_available')
  pause(@CurrentUser() user: SessionUser, @Query() query: ControlQuery): Promise<ExecutionDto[]> {
    return this.controls.command(user.id, query, 'pause');
  }

  @Get('resume')
  @ApiOperation({
    operationId: 'resumeSkript',
    summary: 'Resume runs',
    description: 'Lets every paused run that matches go on where it stood. One that is not paused goes on as before.',
  })
  @ApiOkResponse({ type: ExecutionDto, isArray: true, description: 'The runs; `action` is `start` again.' })
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
    const wait = { id: run.id, follows: run.retries > 0, isNew: !run.isJoined };
    const execution = await this.waits.forEnd(user.id, wait, waitMs ?? longestMs(run), call);
    response.status(isLive(execution.action) ? 202 : 200);
    return execution;
  }
}
