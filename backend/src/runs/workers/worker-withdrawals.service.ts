import { Injectable } from '@nestjs/common';

/**
 * Lets other modules do work when a worker was deleted, before the response is sent. They register a listener, so that
 * `workers` does not need to import them.
 */
@Injectable()
export class WorkerWithdrawals {
  readonly #listeners: (() => Promise<void>)[] = [];

  onWithdrawn(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** Runs the listeners and waits until all are done. Call it after the commit. */
  async publish(): Promise<void> {
    await Promise.all(this.#listeners.map(listener => listener()));
  }
}
