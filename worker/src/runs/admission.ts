import type { Environment } from '@trawl/contracts';
import { runEnvironment } from '../environments/environments.js';
import type { MachineMemory } from '../machine/machine-memory.js';

/** The worker takes no run that would leave less than this share of the memory free. */
export const KEPT_FREE_SHARE = 1 / 16;
/**
 * How long the typical memory of a run is reserved after its start, unless the run ends earlier. Afterwards the run has
 * loaded what it needs, and the free memory shows how much that is.
 */
const RESERVED_MS = 10_000;
/**
 * The worker takes no run while less than this share of the memory is free and processes wait for memory for more than
 * this share of the time, in percent. With more free memory the kernel still counts such waits: those of a run that is at
 * its own limit. That run must not stop those of others.
 */
const SCARCE_SHARE = 1 / 4;
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
    if (free < total * SCARCE_SHARE && pressure > MAX_PRESSURE) return 0;
    const now = this.#now();
    let reserved = 0;
    for (const reservation of this.#reservations) {
      if (reservation.until > now) reserved += reservation.bytes;
      else this.#reservations.delete(reservation);
    }
    return Math.max(
      0,
      Math.floor((free - reserved - total * KEPT_FREE_SHARE) / runEnvironment(environment).typicalBytes),
    );
  }

  /** Reserves the typical memory of a run that begins now. Returns a function to call when the run has ended. */
  reserve(environment: Environment): () => void {
    const reservation = { bytes: runEnvironment(environment).typicalBytes, until: this.#now() + RESERVED_MS };
    this.#reservations.add(reservation);
    return () => this.#reservations.delete(reservation);
  }
}
