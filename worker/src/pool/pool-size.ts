import type { Environment } from '@trawl/contracts';

const MIB = 1024 * 1024;

/** How many processes of an environment the pool parks. */
export interface ParkedCount {
  /** The pool parks so many again as soon as runs have begun. */
  min: number;
  /** The pool parks so many while the machine is idle. */
  max: number;
}

interface Parking {
  /**
   * Memory that one more parked process uses, as measured, in megabytes: its own pages and those of its sandbox. In
   * `browser`, Chromium uses most of it.
   */
  megabytes: number;
  /** The parked processes may use at most this share of the memory. */
  memoryShare: number;
  /** Maximum number of parked processes. */
  max: number;
  /** Maximum of `ParkedCount.min`. While a core starts a process in 50 ms, runs take one every few milliseconds. */
  maxMin: number;
}

const PARKING: Partial<Record<Environment, Parking>> = {
  nodejs: { megabytes: 9.3, memoryShare: 1 / 24, max: 128, maxMin: 16 },
  browser: { megabytes: 160, memoryShare: 1 / 8, max: 2, maxMin: 2 },
};

/** Returns how many processes to park for an environment: `min` at most two for each core, `max` one for each slot. */
export function parkedCount(
  environment: Environment,
  { cores, memoryBytes, slots }: { cores: number; memoryBytes: number; slots: number },
): ParkedCount {
  const parking = PARKING[environment];
  if (!parking) return { min: 0, max: 0 };
  const fitting = Math.floor((memoryBytes * parking.memoryShare) / (parking.megabytes * MIB));
  const max = Math.min(fitting, parking.max, slots);
  return { min: Math.min(max, parking.maxMin, Math.max(2, 2 * cores)), max };
}
