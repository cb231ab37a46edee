import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Body, Controller, Get, Headers, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isLive, LIMITS } from '@trawl/contracts';
import type { Response } from 'express';
import { Audited } from '../../../platform/audit/audited.js';
import { NeedsScope } from '../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { Waiting, type WaitingCall } from '../../../platform/auth/waiting-call.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ApiIdempotencyKey, IDEMPOTENCY_REPLAYED, idempotencyKeyOf } from '../../../platform/idempotency/idempotent.js';
import { ExecutionDto } from '../records/executions.dto.js';
import { WaitsService } from '../records/waits.service.js';
import { defaultWaitMs } from '../start/start-options.js';
import { InsertedRowsService } from './inserted-rows.service.js';
import { ReplayDto, ReplayQuery } from './recordings.dto.js';
import { RecordingsService } from './recordings.service.js';
import { ReplaysService } from './replays.service.js';

@ApiTags('Skript executions')
@ApiBearerAuth()
@Controller('joint-api/skript-execution/:skriptExecution_id')
export class RecordingsController {
  constructor(
    private readonly recordings: RecordingsService,
    private readonly replays: ReplaysService,
    private readonly inserted: InsertedRowsService,
    private readonly waits: WaitsService,
  ) {}

  @Get('record')
  @ApiOperation({
    operationId: 'downloadRecord',
    summary: 'Download the record of a run',
    description: `Returns the HTTP exchanges of a run that was recorded, redacted, as a file for \`trawl replay\`. Trawl keeps a record for ${LIMITS.recordDays} days.`,
  })
  @ApiOkResponse({ content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found', 'service_unavailable')
  async download(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<StreamableFile> {
    const { bytes, parts } = await this.recordings.read(user.id, id);
    return new StreamableFile(Readable.from(parts), {
      type: 'application/octet-stream',
      disposition: `attachment; filename="${id}.record"`,
      length: bytes,
    });
  }

  @Get('record/rows')
  @ApiOperation({
    operationId: 'downloadInsertedRows',
    summary: 'Download the rows that a recorded run sent',
    description: `Returns the rows that a recorded run or a replay has sent with inserts, replacements and updates of \`mongo\`, and with \`postgres.insertMany\`: a line of JSON for each, with \`target\` and \`row\`. The row of a replacement or update has the fields of its filter and the fields that it sets; other operators are fields, such as \`$inc\`. An \`_id\` that the skript has set is JSON in \`_key\`; an \`_id\` that the library has made is left out. If Trawl has not kept all rows of a target, the last line of this target has no row. Trawl keeps at most ${LIMITS.insertedBytes / 1024 / 1024} MB of a run, for ${LIMITS.recordDays} days. For rows of \`dataset.push\`, list the rows of the run.`,
  })
  @ApiOkResponse({
    content: {
      'application/x-ndjson': {
        schema: { type: 'string' },
        example: '{"target":"mongodb:books","row":{"title":"Emma"}}\n{"target":"mongodb:books","row":null}\n',
      },
    },
  })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  async rows(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<StreamableFile> {
    return new StreamableFile(Readable.from(await this.inserted.lines(user.id, id), { objectMode: false }), {
      type: 'application/x-ndjson; charset=utf-8',
    });
  }

  @Post('replay')
  @NeedsScope('run')
  @Audited('skriptExecution')
  @ApiOperation({
    operationId: 'replayRun',
    summary: 'Replay a run',
    description:
      'Runs the skript again with the network closed: its HTTP requests get the recorded answers. The replay stores its rows apart from those of other runs, gets no verdict, and makes no notification, export or issue.',
  })
  @ApiIdempotencyKey()
  @ApiOkResponse({ type: ExecutionDto, description: 'The replay has ended, successfully or not.' })
  @ApiAcceptedResponse({ type: ExecutionDto, description: 'The replay is still live.' })
  @ApiErrors(
    'validation_failed',
    'unauthorized',
    'forbidden',
    'not_found',
    'conflict',
    'payload_too_large',
    'main_missing',
    'bundle_failed',
    'environment_not_available',
    'quota_exceeded',
    'too_many_requests',
    'service_unavailable',
  )
  async replay(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @Query() { wait_ms }: ReplayQuery,
    @Body() body: ReplayDto,
    @Res({ passthrough: true }) response: Response,
    @Headers() headers: IncomingHttpHeaders,
    @Waiting() call: WaitingCall,
  ): Promise<ExecutionDto> {
    const run = await this.replays.start(user, id, body, idempotencyKeyOf({ headers }));
    if (run.isJoined) response.setHeader(IDEMPOTENCY_REPLAYED, 'true');
    const wait = { id: run.id, followsRetries: false, isNew: !run.isJoined };
    const execution = await this.waits.forEnd(user.id, wait, wait_ms ?? defaultWaitMs(run), call);
    response.status(isLive(execution.action) ? 202 : 200);
    return execution;
  }
}
