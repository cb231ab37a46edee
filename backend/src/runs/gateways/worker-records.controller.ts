import { Readable } from 'node:stream';
import { Controller, Get, Headers, HttpCode, Put, Query, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../platform/auth/auth.guard.js';
import { ApiError } from '../../platform/common/errors.js';
import { FileBody, TakesFile, type UploadedFile } from '../../platform/http/body/file-body.js';
import { PathId } from '../../platform/http/path-id.js';
import { RecordQuery } from '../executions/recordings/recordings.dto.js';
import { RecordingsService } from '../executions/recordings/recordings.service.js';
import { WorkersService } from '../workers/workers.service.js';

/**
 * Takes the records of runs from workers, and gives them to workers for replays, over HTTP. A worker uploads only those
 * of its own runs, and gets only those that its current runs replay.
 */
@ApiExcludeController()
@Controller('worker-api/records')
export class WorkerRecordsController {
  constructor(
    private readonly workers: WorkersService,
    private readonly recordings: RecordingsService,
  ) {}

  @Put(':skriptExecution_id')
  @Public()
  @HttpCode(204)
  @TakesFile({ summary: 'Upload the record of a run' })
  async save(
    @PathId('skriptExecution_id') id: string,
    @Query() query: RecordQuery,
    @Headers('authorization') authorization = '',
    @FileBody() file: UploadedFile,
  ): Promise<void> {
    await this.recordings.save(await this.#workerId(authorization), id, query, file);
  }

  @Get(':skriptExecution_id')
  @Public()
  async read(
    @PathId('skriptExecution_id') id: string,
    @Headers('authorization') authorization = '',
  ): Promise<StreamableFile> {
    const parts = await this.recordings.readFor(await this.#workerId(authorization), id);
    return new StreamableFile(Readable.from(parts), { type: 'application/octet-stream' });
  }

  async #workerId(authorization: string): Promise<string> {
    const worker = await this.workers.ofKey(authorization.replace(/^Bearer /, ''));
    if (!worker) throw new ApiError('unauthorized', 'Send a worker key: `Authorization: Bearer trw_…`.');
    return worker.id;
  }
}
