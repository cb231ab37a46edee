import { runEnvironment } from '../environments/environments.js';
import { KEPT_FREE_SHARE } from './admission.js';

const MIN_SLOTS = 4;
/** Number of processes that the pool may have besides those of live runs: parked, warm, and ending ones. */
export const SPARE_PROCESSES = 32;

/**
 * Returns the number of slots of a worker: how many runs it takes at once while memory is free.
 *
 * @param wanted the setting `TRAWL_SLOTS`; without it, the worker has a slot for each run that fits in its memory
 * @param processes maximum number of processes of the pool
 */
export function slotCount(wanted: number | null, memoryBytes: number, processes: number): number {
  const fitting = Math.floor((memoryBytes * (1 - KEPT_FREE_SHARE)) / runEnvironment('nodejs').typicalBytes);
  return Math.min(wanted ?? Math.max(MIN_SLOTS, fitting), processes - SPARE_PROCESSES);
}

/**
 * Returns how many slots the worker may have while runs are paused: each paused run adds one, up to twice the number.
 *
 * @param processes maximum number of processes of the pool
 */
export const maxSlotCount = (count: number, processes: number): number =>
  Math.min(2 * count, processes - SPARE_PROCESSES);
