import type { Logger } from 'pino';
import { isDatabaseAway } from './database-away.js';

/**
 * Of work that is done again and again: one line when the database goes away under it, and one when it is back. Any other
 * failure is logged in full each time.
 */
export class OutageLog {
  #isAway = false;

  constructor(
    private readonly logger: Logger,
    private readonly failed: string,
  ) {}

  failure(error: unknown, facts: object = {}): void {
    if (!isDatabaseAway(error)) {
      this.logger.error({ ...facts, err: error }, this.failed);
      return;
    }
    if (this.#isAway) return;
    this.#isAway = true;
    this.logger.warn({ reason: (error as Error).message }, `${this.failed}: PostgreSQL cannot be reached`);
  }

  success(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.logger.info('PostgreSQL can be reached again');
  }
}
