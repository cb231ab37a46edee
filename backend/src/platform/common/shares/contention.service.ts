import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** How long an account competes after its last call. */
const COMPETES_MS = 1_000;
/** Time over which the use of the event loop is measured. */
const SAMPLE_MS = 50;
/** Share of time above which calls wait for each other noticeably. */
const BUSY = 0.5;
/** The pause after a part of a long work, as a multiple of the part's duration. */
const PAUSE = 2;
/** A part that takes longer waits for a database or a client. */
const MAX_PART_MS = 20;

/**
 * Knows when several accounts compete for the event loop. Node.js works on one call at a time, so each call then waits for
 * the calls that others have in progress.
 * See docs/decisions/0362-accounts-share-the-backend.md.
 */
@Injectable()
export class Contention {
  #last: string | undefined;
  /** When two calls in a row came from different accounts. */
  #competedAt = Number.NEGATIVE_INFINITY;
  #sample = performance.eventLoopUtilization();
  #sampledAt = performance.now();
  #isBusy = false;
  /** Number of long works in progress, by account. */
  readonly #works = new Map<string, number>();

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

  /**
   * Passes on the parts of a long work, such as the slices of a file. While accounts compete, a pause follows the work on
   * each part, so that all long works of an account use about half of the event loop.
   */
  async *paced<Part>(ownerId: string, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
    const works = () => this.#works.get(ownerId) ?? 0;
    this.#works.set(ownerId, works() + 1);
    try {
      let startedAt = performance.now();
      for await (const part of parts) {
        yield part;
        this.record(ownerId);
        const tookMs = Math.min(MAX_PART_MS, performance.now() - startedAt);
        if (this.isNow()) await delay(PAUSE * works() * tookMs);
        startedAt = performance.now();
      }
    } finally {
      if (works() > 1) this.#works.set(ownerId, works() - 1);
      else this.#works.delete(ownerId);
    }
  }
}
