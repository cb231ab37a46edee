import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { ZipFile } from 'yazl';
import { MongoCallSlots } from '../../../data/storage/access/mongo-call-limit.interceptor.js';
import { ApiError } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { AccountSemaphore } from '../../../platform/common/shares/account-semaphore.js';
import { LoginRateWindow } from '../login-rate-window.js';
import { ArchiveEntries, type ArchiveEntry } from './archive-entries.service.js';

export const ARCHIVES_PER_HOUR = 10;
const HOUR_MS = 60 * 60_000;
/** A client that reads nothing for this long is disconnected, because its archive keeps a cursor of a database open. */
const IDLE_MS = 120_000;

/** Sends an account's data as a zip, which it writes while it reads. Memory holds one batch of one file. */
@Injectable()
export class AccountArchive {
  readonly #slots = new AccountSemaphore('archives', 1, { maxQueued: 0 });
  readonly #window = new LoginRateWindow(ARCHIVES_PER_HOUR, HOUR_MS);

  constructor(
    private readonly entries: ArchiveEntries,
    private readonly mongoSlots: MongoCallSlots,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws {ApiError} 429 `too_many_requests`, 503 `storage_unavailable`. */
  async open(ownerId: string, response: Response): Promise<StreamableFile> {
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort(new ApiError('service_unavailable', 'The client disconnected.')));
    const { signal } = disconnected;
    const releaseArchive = await this.#slots.acquire(ownerId, signal);
    try {
      this.#take(ownerId);
      const releaseMongo = await this.mongoSlots.acquire(ownerId, signal);
      try {
        const entries = await this.entries.of(ownerId, signal);
        signal.throwIfAborted();
        const zip = new ZipFile();
        const file = zip.outputStream as Readable;
        void this.#write(zip, entries, file, signal, ownerId).finally(() => {
          releaseMongo();
          releaseArchive();
        });
        response.setTimeout(IDLE_MS, () => response.destroy());
        response.attachment('trawl-data.zip');
        return new StreamableFile(file, { type: 'application/zip' }).setErrorHandler(() => response.destroy());
      } catch (error) {
        releaseMongo();
        throw error;
      }
    } catch (error) {
      releaseArchive();
      throw error;
    }
  }

  /** Writes one file after the other. After a failure it breaks the stream, so that a part never looks complete. */
  async #write(
    zip: ZipFile,
    entries: AsyncIterable<ArchiveEntry>,
    file: Readable,
    signal: AbortSignal,
    ownerId: string,
  ): Promise<void> {
    // Errors of the stream have no listener until the response begins.
    file.on('error', () => undefined);
    zip.on('error', error => file.destroy(error));
    let content: Readable | undefined;
    try {
      for await (const { path, read } of entries) {
        content = Readable.from(read(), { objectMode: false });
        zip.addReadStream(content, path, { mode: 0o100644 });
        await finished(content, { signal });
      }
      zip.end();
    } catch (error) {
      if (!signal.aborted) this.logger.warn({ err: error, user: ownerId }, 'archive failed; connection closed');
      content?.destroy();
      file.destroy(error as Error);
    }
  }

  #take(ownerId: string): void {
    const waitMs = this.#window.take(ownerId);
    if (waitMs === 0) return;
    throw new ApiError(
      'too_many_requests',
      `You may download ${ARCHIVES_PER_HOUR} archives an hour. Wait ${Math.ceil(waitMs / 60_000)} minutes, then try again.`,
      undefined,
      Math.ceil(waitMs / 1_000),
    );
  }
}
