import { Readable } from 'node:stream';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { MongoCallSlots } from '../../data/storage/access/mongo-call-limit.interceptor.js';
import { ApiError } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';
import { Contention } from '../../platform/common/shares/contention.service.js';
import { fileNameOf } from '../../platform/http/file-name.js';
import { type ExportFileQuery, writeOptionsOf } from './export-query.js';
import { FORMATS } from './formats/formats.js';
import { type ReadBatches, writeExport } from './formats/write-export.js';
import { ExportSources, type SourceName } from './sources/export-sources.service.js';
import { ALL, type SourceParams } from './sources/source.js';

/** A client that reads nothing for this long is disconnected, because its export keeps a cursor of the database open. */
const IDLE_MS = 120_000;
/** Sources that read from MongoDB. PostgreSQL has its own limit, on the sessions of an account. */
const OF_MONGODB: SourceName[] = ['collection', 'run', 'changes'];

/** Sends a file while it is written. */
@Injectable()
export class ExportStreamsService {
  constructor(
    private readonly sources: ExportSources,
    private readonly slots: MongoCallSlots,
    private readonly contention: Contention,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws {ApiError} for a wrong parameter, and everything that the source throws for its first rows. */
  async open(
    ownerId: string,
    params: SourceParams & { source: SourceName },
    query: ExportFileQuery,
    response: Response,
  ): Promise<StreamableFile> {
    const options = writeOptionsOf(query);
    const source = this.sources.get(params.source);
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort(new ApiError('service_unavailable', 'The client disconnected.')));
    const { signal } = disconnected;
    const isOfMongo = OF_MONGODB.includes(params.source);
    const release = isOfMongo ? await this.slots.acquire(ownerId, signal) : () => undefined;
    try {
      const name = await source.check(ownerId, params);
      const { fields } = options;
      const read: ReadBatches = declare =>
        this.contention.paced(ownerId, source.read(ownerId, params, { fields, added: ALL, declare, signal }));
      const file = Readable.from(await writeExport(read, options), { objectMode: false });
      signal.throwIfAborted();
      signal.addEventListener('abort', () => file.destroy());
      file.once('close', release);
      response.setTimeout(IDLE_MS, () => response.destroy());
      const { extension, contentType } = FORMATS[query.format];
      response.attachment(`${fileNameOf(name, 'export')}.${extension}`).setHeader('Content-Type', contentType);
      return new StreamableFile(file).setErrorHandler(error => {
        this.logger.warn({ err: error, user: ownerId }, 'export failed; connection closed');
        response.destroy();
      });
    } catch (error) {
      release();
      throw error;
    }
  }
}
