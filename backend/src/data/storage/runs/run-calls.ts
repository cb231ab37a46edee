import { Logger } from '@nestjs/common';
import { type ApiErrorCode, SHARES, type StorageAnswer, type StorageErrorCode } from '@trawl/contracts';
import { ApiError } from '../../../platform/common/errors.js';
import { isTemporaryFailure } from '../../../platform/common/postgres-errors.js';
import { AccountSemaphore } from '../../../platform/common/shares/account-semaphore.js';
import type { Contention } from '../../../platform/common/shares/contention.service.js';
import { StorageFailure } from '../mongodb/storage-failures.js';

/** Codes of API errors that a run receives under another code. The worker retries what is unavailable for a while. */
const CODES: Partial<Record<ApiErrorCode, StorageErrorCode>> = {
  too_many_requests: 'storage_unavailable',
  quota_exceeded: 'storage_full',
  payload_too_large: 'storage_full',
};

/** The share of each account in one kind of calls that runs make. */
export class RunCalls extends AccountSemaphore {
  readonly #log: Logger;

  /** @param noun the calls, in the plural, for error messages and the log. */
  constructor(noun: string, contention: Contention) {
    super(noun, SHARES.runStorageCallsAtOnce, {
      maxQueued: SHARES.runStorageCallsQueued,
      whileCompeting: { concurrency: SHARES.callsWhileCompeting, contention },
    });
    this.#log = new Logger(noun);
  }

  /**
   * Executes a call on tables of the platform once the account has a free slot. Never throws: an error becomes a message
   * for the owner of the run.
   */
  async answer(ownerId: string, call: () => Promise<Uint8Array>): Promise<StorageAnswer> {
    let release = () => {};
    try {
      release = await this.acquire(ownerId);
      return { result: await call() };
    } catch (error) {
      return { error: this.#toError(error) };
    } finally {
      release();
    }
  }

  #toError(error: unknown): { code: StorageErrorCode; message: string } {
    if (error instanceof StorageFailure) return { code: error.code, message: error.message };
    if (error instanceof ApiError) return { code: CODES[error.code] ?? 'storage_rejected', message: error.message };
    if (isTemporaryFailure(error)) {
      return { code: 'storage_unavailable', message: "The platform's database does not answer." };
    }
    this.#log.error(error);
    return { code: 'storage_rejected', message: 'Trawl failed to execute the call. Its log has the details.' };
  }
}
