import type { Environment } from '@trawl/contracts';

const MIB = 1024 * 1024;

/** Memory that a parked process uses, as measured, in megabytes. In `browser`, Chromium uses most of it. */
const PARKED_MB: Partial<Record<Environment, number>> = { nodejs: 40, browser: 160 };
/** The parked processes of one environment may use at most this share of the memory. */
const MEMORY_SHARE = 1 / 8;
/**
 * Maximum number of parked processes. More are not needed: runs take at most one every few milliseconds, and a core
 * starts a new one in 50 ms.
 */
const MAX_PARKED: Partial<Record<Environment, number>> = { nodejs: 16, browser: 2 };

/** Returns how many processes to park for an environment: two for each core, or fewer if there is not enough memory. */
export function parkedCount(environment: Environment, cores: number, memoryBytes: number): number {
  const fitting = Math.floor(
    (memoryBytes * MEMORY_SHARE) / ((PARKED_MB[environment] ?? Number.POSITIVE_INFINITY) * MIB),
  );
  return Math.min(fitting, MAX_PARKED[environment] ?? 0, Math.max(2, 2 * cores));
}
