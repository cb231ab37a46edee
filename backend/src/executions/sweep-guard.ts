import { LEASE_MS } from '@trawl/contracts';

/** Both in ms; only differences count. `process` never jumps, `database` may. */
export interface Clocks {
  database: number;
  process: number;
}

const MAX_CLOCK_DRIFT_MS = 2_000;
/** A sweep that comes later than this was held up: by a database that did not answer, or by this process itself. */
const MAX_GAP_MS = 4_000;

/**
 * Says when workers whose lease has run out may be taken for lost: never before this backend has itself been up, without a
 * gap, for one lease. Leases run out in its outage, too, and its outage must end no run.
 */
export class SweepGuard {
  #last: Clocks | null = null;
  #upSince = 0;

  /** To be asked at every sweep with what the clocks then say. */
  allows(now: Clocks): boolean {
    const last = this.#last;
    this.#last = now;
    const passedMs = last ? now.process - last.process : Number.POSITIVE_INFINITY;
    if (passedMs > MAX_GAP_MS) this.#upSince = now.process;
    if (!last || now.process - this.#upSince < LEASE_MS) return false;
    return Math.abs(now.database - last.database - passedMs) <= MAX_CLOCK_DRIFT_MS;
  }
}
