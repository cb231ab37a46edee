import type { Environment } from '@trawl/contracts';
import type { MachineMemory } from '../pool/machine-memory.js';

const MIB = 1024 * 1024;
/**
 * Memory that a run typically uses, in bytes, as measured: a run that sleeps uses 10 MB, one that parses pages 25 to 50,
 * and one with a simple page in Chromium 115.
 */
export const TYPICAL_BYTES: Record<Environment, number> = { nodejs: 64 * MIB, python: 64 * MIB, browser: 256 * MIB };
/** The worker takes no run that would leave less than this share of the memory free. */
export const KEPT_FREE_SHARE = 1 / 16;
/**
 * How long the typical memory of a run is reserved after its start, unless the run ends earlier. Afterwards the run has
 * loaded what it needs, and the free memory shows how much that is.
 */
const RESERVED_MS = 10_000;
/** The worker takes no run while processes wait for memory for more than this share of the time, in percent. */
const MAX_PRESSURE = 20;

interface Reservation {
  bytes: number;
  until: number;
}

/** Tells how many more runs the memory of the machine can hold. See docs/decisions/0357-slots-follow-memory.md. */
export class Admission {
  readonly #memory: Pick<MachineMemory, 'free' | 'total' | 'pressure'>;
  readonly #now: () => number;
  readonly #reservations = new Set<Reservation>();

  /** @param now clock in milliseconds */
  constructor(memory: Pick<MachineMemory, 'free' | 'total' | 'pressure'>, now = () => performance.now()) {
    this.#memory = memory;
    this.#now = now;
  }

  /** Returns how many more runs of an environment fit in the memory. */
  room(environment: Environment): number {
    const { free, total, pressure } = this.#memory;
    if (pressure > MAX_PRESSURE) return 0;
    const now = this.#now();
    let reserved = 0;
    for (const reservation of this.#reservations) {
      if (reservation.until > now) reserved += reservation.bytes;
      else this.#reservations.delete(reservation);
    }
    return Math.max(0, Math.floor((free - reserved - total * KEPT_FREE_SHARE) / TYPICAL_BYTES[environment]));
  }

  /** Reserves the typical memory of a run that begins now. Returns a function to call when the run has ended. */
  reserve(environment: Environment): () => void {
    const reservation = { bytes: TYPICAL_BYTES[environment], until: this.#now() + RESERVED_MS };
    this.#reservations.add(reservation);
    return () => this.#reservations.delete(reservation);
  }
}
