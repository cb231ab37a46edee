import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SHARES } from '@trawl/contracts';
import { Piscina } from 'piscina';
import { AccountSemaphore } from '../../platform/common/shares/account-semaphore.js';
import type { ChunkMatches, ChunkSearch, EchoFilter, StoredChunk } from './chunk-reader.js';

const READER = fileURLToPath(new URL('../../../dist/runs/echoes/chunk-reader.js', import.meta.url));
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Time after which an unused thread ends. */
const IDLE_MS = 30_000;
/** Each call reads one chunk at a time, and the slots of calls limit the calls. */
const MAX_QUEUED = Number.POSITIVE_INFINITY;

/**
 * Reads chunks of echoes in threads, because a chunk takes 15 ms to read and a search reads a hundred: in the main thread,
 * the calls of all accounts would wait. Each account has one thread at a time, so that accounts take turns.
 * See docs/decisions/0362-accounts-share-the-backend.md.
 */
@Injectable()
export class ChunkReaders implements OnApplicationShutdown {
  readonly #threads = new Piscina({ filename: READER, minThreads: 0, maxThreads: MAX_THREADS, idleTimeout: IDLE_MS });
  readonly #turns = new AccountSemaphore('chunks of echoes', SHARES.chunkReadsAtOnce, { maxQueued: MAX_QUEUED });

  find(ownerId: string, search: ChunkSearch): Promise<ChunkMatches> {
    return this.#run(ownerId, 'find', search);
  }

  count(ownerId: string, chunk: EchoFilter & StoredChunk): Promise<number> {
    return this.#run(ownerId, 'count', chunk);
  }

  csv(ownerId: string, chunk: StoredChunk): Promise<string> {
    return this.#run(ownerId, 'csv', chunk);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#threads.destroy();
  }

  async #run<Result>(ownerId: string, name: string, task: object): Promise<Result> {
    const release = await this.#turns.acquire(ownerId);
    try {
      return await this.#threads.run(task, { name });
    } finally {
      release();
    }
  }
}
