import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { ApiError } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';

/** Time until the response. Under normal load, the work takes less time. */
const RESPONSE_MS = 300;
/** A backend handles several hundred requests per second, so it empties a full queue in a few seconds. */
const MAX_QUEUED = 2_000;

/**
 * Sends each response after a fixed time, so that the response time does not reveal what the work found. Handles one
 * request at a time, so that slow requests (because of a locked row, or too few connections) do not delay other routes.
 * See docs/decisions/0364-sign-in-and-forms.md.
 */
@Injectable()
export class ConstantTimeResponder implements OnModuleDestroy {
  #last: Promise<void> = Promise.resolve();
  #queued = 0;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /**
   * Queues the work and returns after the fixed time, even if the work is not done. Later errors are only logged.
   * @throws {ApiError} 503 when the queue is full; also any error that the work throws within the fixed time.
   */
  async run(work: () => Promise<void>): Promise<void> {
    if (this.#queued >= MAX_QUEUED) {
      throw new ApiError('service_unavailable', 'Too many forms are being sent right now. Try again in a minute.');
    }
    this.#queued += 1;
    let isAnswered = false;
    let failure: { error: unknown } | undefined;
    this.#last = this.#last
      .then(work)
      .catch(error => {
        failure = { error };
        if (isAnswered) this.logger.error({ err: error }, 'form processing failed after the response was sent');
      })
      .finally(() => {
        this.#queued -= 1;
      });
    await delay(RESPONSE_MS);
    isAnswered = true;
    if (failure) throw failure.error;
  }

  /** Resolves when all work queued so far is done. */
  idle(): Promise<void> {
    return this.#last;
  }

  async onModuleDestroy(): Promise<void> {
    await this.idle();
  }
}
