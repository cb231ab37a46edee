import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';

/** Longer than the work takes when there is no crowd. */
const ANSWER_AFTER_MS = 300;
/** Some hundred a second are done. */
const MOST_WAITING = 2_000;

/**
 * Work of requests whose answer must not tell, by its time, what was found. It is done one at a time, so that none holds up
 * another request (a locked row, a used-up pool), and each is answered at its own fixed moment, done or not.
 */
@Injectable()
export class UnhurriedWork implements OnModuleDestroy {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /**
   * Returns at the fixed moment. What fails later is logged.
   * @throws {ApiError} 503 when too much waits; whatever the work threw by that moment.
   */
  async do(work: () => Promise<void>): Promise<void> {
    if (this.#waiting >= MOST_WAITING) {
      throw new ApiError('service_unavailable', 'Too many people send this form right now. Try again in a minute.');
    }
    this.#waiting += 1;
    let isAnswered = false;
    let failure: { error: unknown } | undefined;
    this.#last = this.#last
      .then(work)
      .catch(error => {
        failure = { error };
        if (isAnswered) this.logger.error({ err: error }, 'a form was answered, but its work failed');
      })
      .finally(() => {
        this.#waiting -= 1;
      });
    await delay(ANSWER_AFTER_MS);
    isAnswered = true;
    if (failure) throw failure.error;
  }

  /** When all that was asked for so far is done. */
  done(): Promise<void> {
    return this.#last;
  }

  async onModuleDestroy(): Promise<void> {
    await this.done();
  }
}
