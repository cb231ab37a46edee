import { Readable } from 'node:stream';
import { Controller, Get, Header, Headers, Inject, Res, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { Waiting, type WaitingCall } from '../../platform/auth/waiting-call.js';
import { ApiError } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';
import { OutageLog } from '../../platform/common/outage-log.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { PathId } from '../../platform/http/path-id.js';
import { EchoStreams, MAX_STREAMS_PER_ACCOUNT } from './echo-streams.service.js';

const LAST_EVENT_ID = 'Last-Event-ID';
const MAX_SEQ = 2_147_483_647;
/** A client that reads nothing for this long is cut off. It can reconnect. */
const STALLED_MS = 60_000;

@ApiTags('Echoes')
@ApiBearerAuth()
@Controller('joint-api/echoes/:execution_id')
export class EchoStreamsController {
  readonly #failures: OutageLog;

  constructor(
    private readonly streams: EchoStreams,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#failures = new OutageLog(logger, 'live log cut off; its client reconnects');
  }

  @Get('stream')
  @Header('Cache-Control', 'no-store')
  // Otherwise nginx collects events before it passes them on.
  @Header('X-Accel-Buffering', 'no')
  @ApiOperation({
    operationId: 'streamEchoes',
    summary: 'Follow the echoes of a run',
    description: `Streams the echoes of a run as server-sent events, saved and live ones, in order and each once. The id of an event is the \`seq\` of its echo, and its data is the echo as JSON. When the run has ended and all echoes are sent, an event \`end\` follows with \`action\`, \`error_code\` and \`last_seq\`, and the stream closes. If it closes without \`end\`, reconnect with \`${LAST_EVENT_ID}\`. A comment every 15 s keeps the connection open. An account can have ${MAX_STREAMS_PER_ACCOUNT} streams open.`,
  })
  @ApiHeader({
    name: LAST_EVENT_ID,
    required: false,
    description: '`seq` of the last echo that you got: the stream continues after it.',
    example: 12,
    schema: { type: 'integer', minimum: 0, maximum: MAX_SEQ },
  })
  @ApiOkResponse({
    content: {
      'text/event-stream': {
        schema: { type: 'string' },
        example:
          'retry: 1000\n\nid: 1\ndata: {"seq":1,"time":"2026-02-15T09:30:00.000Z","type":"log","msg":"page 3 of 50"}\n\n' +
          'event: end\ndata: {"action":"end","error_code":null,"last_seq":1}\n\n',
      },
    },
  })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found', 'too_many_requests')
  async stream(
    @CurrentUser() user: SessionUser,
    @PathId('execution_id') id: string,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Waiting() call: WaitingCall,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const events = await this.streams.open(user.id, id, seqOf(lastEventId), call);
    response.setTimeout(STALLED_MS, () => response.destroy());
    return new StreamableFile(Readable.from(events), { type: 'text/event-stream; charset=utf-8' }).setErrorLogger(
      error => this.#failures.failure(error),
    );
  }
}

/** @throws {ApiError} 400. */
function seqOf(lastEventId: string | undefined): number {
  if (lastEventId === undefined) return 0;
  const seq = /^\d{1,10}$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
  if (seq <= MAX_SEQ) return seq;
  const message = `must be the seq of an echo: a whole number between 0 and ${MAX_SEQ}`;
  throw new ApiError('validation_failed', `${LAST_EVENT_ID} ${message}.`, [{ field: LAST_EVENT_ID, message }]);
}
