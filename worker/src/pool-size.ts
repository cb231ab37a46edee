import type { Environment } from '@trawl/contracts';

const MIB = 1024 * 1024;

/** What a parked process takes for itself, measured; with Chromium started most of it is Chromium's. */
const PARKED_MB: Partial<Record<Environment, number>> = { nodejs: 40, browser: 160 };
/** Of the memory that the worker may use, what only waits may take so much, in each environment by itself. */
const SHARE = 1 / 8;
/** A run takes a parked process each few milliseconds at most, and a core makes a new one in a twentieth of a second. */
const MOST: Partial<Record<Environment, number>> = { nodejs: 16, browser: 2 };

/** How many processes of an environment are kept parked: two for each core, as many as the memory allows. */
export function parkedCount(environment: Environment, cores: number, memoryBytes: number): number {
  const fitting = Math.floor((memoryBytes * SHARE) / ((PARKED_MB[environment] ?? Number.POSITIVE_INFINITY) * MIB));
  return Math.min(fitting, MOST[environment] ?? 0, Math.max(2, 2 * cores));
}

/**
 * How many runs may be on a worker at once. Skripts wait for the network most of the time, so there may be more of them
 * than cores.
 */
export function slotCount(cores: number, memoryBytes: number): number {
  return Math.max(4, Math.min(32, 4 * cores, Math.floor(memoryBytes / (256 * MIB))));
}
