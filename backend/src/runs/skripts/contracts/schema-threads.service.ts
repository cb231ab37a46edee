import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SHARES } from '@trawl/contracts';
import pLimit from 'p-limit';
import { Piscina } from 'piscina';
import { AccountSemaphore } from '../../../platform/common/shares/account-semaphore.js';
import { exceededLimit } from '../../../platform/common/thread-limits.js';
import type { TrySchema } from './contract-check.js';
import type { CheckedRows, RowsToCheck } from './row-check.js';

const THREAD = fileURLToPath(new URL('../../../../dist/runs/skripts/contracts/schema-thread.js', import.meta.url));
const MAX_THREADS = 2;
/** Time after which an unused thread ends. */
const IDLE_MS = 30_000;
/** The threads interrupt slow schemas themselves. This ends a thread that cannot be interrupted. */
const MAX_MS = 60_000;
/** The rows of one call have up to 16 MB as BSON. */
const THREAD_MB = 256;
const LIMITS = { seconds: MAX_MS / 1_000, mb: THREAD_MB };
/** API calls and calls of runs are limited before they come here. */
const MAX_QUEUED = Number.POSITIVE_INFINITY;

/**
 * Tries JSON Schemas and checks rows in threads: in the main thread, all accounts would wait for a hostile schema. Each account
 * has one thread at a time, so that accounts take turns.
 */
@Injectable()
export class SchemaThreads implements OnApplicationShutdown {
  readonly #threads = new Piscina({
    filename: THREAD,
    minThreads: 0,
    maxThreads: MAX_THREADS,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MB },
  });
  /** Tasks wait here for a thread, so that the time in which they wait does not count. */
  readonly #limit = pLimit(MAX_THREADS);
  readonly #turns = new AccountSemaphore('checks of schemas', SHARES.schemaChecksAtOnce, { maxQueued: MAX_QUEUED });

  /** Returns a function that tries schemas of an account on small values. */
  trials(ownerId: string): TrySchema {
    return async schema => {
      try {
        return await this.#run<string | null>(ownerId, 'trialProblem', schema);
      } catch (error) {
        const limit = exceededLimit(error, LIMITS);
        if (limit === null) throw error;
        return `takes more than ${limit} for small rows; simplify it`;
      }
    };
  }

  /** Checks rows of an account. Never throws. */
  async checkRows(ownerId: string, task: RowsToCheck): Promise<CheckedRows> {
    try {
      return await this.#run<CheckedRows>(ownerId, 'checkRows', task, [task.rows.buffer as ArrayBuffer]);
    } catch (error) {
      const limit = exceededLimit(error, LIMITS);
      const problem = limit ? `the rows of one call took more than ${limit}` : (error as Error).message.slice(0, 200);
      return { checked: 0, refusals: [], problem, ms: 0 };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#threads.destroy();
  }

  async #run<Result>(ownerId: string, name: string, task: object, transferList: ArrayBuffer[] = []): Promise<Result> {
    const release = await this.#turns.acquire(ownerId);
    try {
      return await this.#limit(() =>
        this.#threads.run(task, { name, transferList, signal: AbortSignal.timeout(MAX_MS) }),
      );
    } finally {
      release();
    }
  }
}
