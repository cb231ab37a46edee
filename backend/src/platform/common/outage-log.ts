import type { Logger } from 'pino';
import { isDatabaseUnavailable } from './postgres-errors.js';

/**
 * Logs failures of periodic work. A database outage is logged only when it begins and when it ends. Any other failure
 * is logged in full each time.
 */
export class OutageLog {
  #isOutage = false;

  constructor(
    private readonly logger: Logger,
    private readonly message: string,
  ) {}

  failure(error: unknown, fields: object = {}): void {
    if (!isDatabaseUnavailable(error)) {
      this.logger.error({ ...fields, err: error }, this.message);
      return;
    }
    if (this.#isOutage) return;
    this.#isOutage = true;
    this.logger.warn({ reason: (error as Error).message }, `${this.message}: PostgreSQL unavailable`);
  }

  success(): void {
    if (!this.#isOutage) return;
    this.#isOutage = false;
    this.logger.info('PostgreSQL available again');
  }
}
