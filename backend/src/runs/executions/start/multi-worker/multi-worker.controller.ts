import { Body, Controller, HttpStatus, Post, Query, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Audited } from '../../../../platform/audit/audited.js';
import { NeedsScope } from '../../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../../platform/auth/current-user.js';
import { Waiting, type WaitingCall } from '../../../../platform/auth/waiting-call.js';
import { ApiErrors } from '../../../../platform/http/api-errors.js';
import {
  ApiIdempotencyKey,
  IDEMPOTENCY_REPLAYED,
  idempotencyKeyOf,
} from '../../../../platform/idempotency/idempotent.js';
import { StartQuery } from '../start.dto.js';
import { MultiStartDto, MultiStartResultDto } from './multi-worker.dto.js';
import { MultiWorkerService } from './multi-worker.service.js';

@ApiTags('Execute skript')
@ApiBearerAuth()
@NeedsScope('run')
@Controller('joint-api/execute-skript/multi-worker')
export class MultiWorkerController {
  constructor(private readonly multiWorker: MultiWorkerService) {}

  @Post('start')
  @Audited('skriptExecution', ({ results }: MultiStartResultDto) => results.flatMap(({ execution = [] }) => execution))
  @ApiOperation({
    operationId: 'startSkriptOnWorkers',
    summary: 'Start a skript on several workers',
    description:
      'Starts the same run on each worker, then waits for all of them. Each worker has its own result: the run, or the error that a start on this worker alone would return. ' +
      'To stop, pause or resume all of these runs, send the `skript_id`.',
  })
  @ApiIdempotencyKey()
  @ApiOkResponse({
    type: MultiStartResultDto,
    description: 'Every run has ended, successfully or not, or could not start.',
  })
  @ApiAcceptedResponse({ type: MultiStartResultDto, description: 'At least one run is still live.' })
  @ApiErrors(
    'validation_failed',
    'unauthorized',
    'not_found',
    'main_missing',
    'bundle_failed',
    'idempotency_key_reused',
    'service_unavailable',
  )
  async start(
    @CurrentUser() user: SessionUser,
    @Query() query: StartQuery,
    @Body() body: MultiStartDto,
    @Req() request: Request,
    @Waiting() call: WaitingCall,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MultiStartResultDto> {
    const { isJoined, ...result } = await this.multiWorker.start(user, query, body, {
      key: idempotencyKeyOf(request),
      requestId: String(request.id),
      call,
    });
    if (isJoined) response.setHeader(IDEMPOTENCY_REPLAYED, 'true');
    response.status(result.going_on > 0 ? HttpStatus.ACCEPTED : HttpStatus.OK);
    return result;
  }
}
