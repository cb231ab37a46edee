import { availableParallelism } from 'node:os';

/** Length of the period for which the kernel counts a quota of processor time, in microseconds. */
export const CPU_PERIOD_US = 100_000;
/**
 * Weight of all runs of the worker together on each core, where every other program or session has a weight of 1. With
 * more, calls, builds of bundles and PostgreSQL on the same machine wait longer; with less, many runs take longer on a
 * machine that is busy with other programs.
 * See docs/decisions/0355-runs-share-the-processors-by-weight.md.
 */
const RUNS_WEIGHT = 0.5;
/** Processor time that a run leaves to others in each period, in microseconds: a quarter of a core. */
const LEFT_TO_OTHERS_US = 25_000;

/** Weight of a slot with the whole share. The kernel compares it with the weights of the other slots only. */
const SLOT_WEIGHT = 10_000;

/** Returns the weight of a slot, in the units of both versions of cgroups. */
export const slotWeight = (share: number): number => Math.max(2, Math.round(SLOT_WEIGHT * share));

/**
 * Returns the weight of all runs of the worker together in the kernel's unit.
 *
 * @param normal weight of another program in this unit
 * @param max the highest weight that the kernel accepts
 */
export const runsWeight = (normal: number, max: number, cores = availableParallelism()): number =>
  Math.min(max, RUNS_WEIGHT * cores * normal);

/** Returns the processor time that one run may use in each period, in microseconds. */
export const runQuotaUs = (cores = availableParallelism()): number => cores * CPU_PERIOD_US - LEFT_TO_OTHERS_US;

/** Calls `share`, which sets the shares of processor time. Returns null, or the reason why that is not possible. */
export function trySharing(share: () => void): string | null {
  try {
    share();
    return null;
  } catch (error) {
    return `A run with many processes can slow down others, because the kernel refused to share the processors: ${error}.`;
  }
}

/**
 * Weight of the work in the background, such as the installation of libraries, compared with a program that nobody has
 * configured: it gets a quarter of what each of these gets while they want the processors.
 */
export const backgroundWeight = (normal: number): number => Math.max(2, Math.round(normal / 4));
/** Memory for the work in the background, with the files that the kernel keeps for it. */
export const BACKGROUND_MEMORY_BYTES = 2 * 1024 ** 3;
export const BACKGROUND_PROCESSES = 256;
/** Ending of the names of its cgroups. They are beside those of runs, so that they do not share the processors with runs only. */
export const BACKGROUND = '-background';
