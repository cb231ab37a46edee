/**
 * Times of two clocks in ms; only differences between readings matter. The clock of `process` never jumps; the clock of
 * `database` may.
 */
export interface Clocks {
  database: number;
  process: number;
}

/**
 * Decides whether a sweep may declare workers with an expired lease lost. It may do so only after this backend has run
 * without interruption for the duration of one lease, because leases also expire while the backend itself is down.
 */
export class SweepGuard {
  readonly #leaseMs: number;
  /** If more time has passed between two sweeps, this process or the database was blocked. */
  readonly #maxGapMs: number;
  readonly #maxClockDriftMs: number;
  #last: Clocks | null = null;
  #upSince = 0;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
    this.#maxGapMs = leaseMs / 3;
    this.#maxClockDriftMs = leaseMs / 6;
  }

  /** Call it once per sweep with the current clocks. */
  allows(now: Clocks): boolean {
    const last = this.#last;
    this.#last = now;
    const passedMs = last ? now.process - last.process : Number.POSITIVE_INFINITY;
    if (passedMs > this.#maxGapMs) this.#upSince = now.process;
    if (!last || now.process - this.#upSince < this.#leaseMs) return false;
    return Math.abs(now.database - last.database - passedMs) <= this.#maxClockDriftMs;
  }
}
