import { performance } from 'node:perf_hooks';
import { Injectable } from '@nestjs/common';

/** How long an account competes after its last call. */
const COMPETES_MS = 1_000;
/** Time over which the use of the event loop is measured. */
const SAMPLE_MS = 50;
/** Share of time above which calls wait for each other noticeably. */
const BUSY = 0.5;

/**
 * Knows when several accounts compete for the event loop. Node.js works on one call at a time, so each call then waits for
 * the calls that others have in progress.
 */
@Injectable()
export class Contention {
  #last: string | undefined;
  /** When two calls in a row came from different accounts. */
  #competedAt = Number.NEGATIVE_INFINITY;
  #sample = performance.eventLoopUtilization();
  #sampledAt = performance.now();
  #isBusy = false;

  /** Records that the account makes a call. */
  record(ownerId: string): void {
    if (this.#last !== ownerId && this.#last !== undefined) this.#competedAt = performance.now();
    this.#last = ownerId;
  }

  /** Returns whether accounts compete. */
  isNow(): boolean {
    const now = performance.now();
    if (now - this.#sampledAt >= SAMPLE_MS) {
      const sample = performance.eventLoopUtilization();
      this.#isBusy = performance.eventLoopUtilization(sample, this.#sample).utilization > BUSY;
      this.#sample = sample;
      this.#sampledAt = now;
    }
    return this.#isBusy && now - this.#competedAt < COMPETES_MS;
  }
}
