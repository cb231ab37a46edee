import type { Environment } from '@trawl/contracts';
import { runEnvironment } from '../environments/environments.js';

/** How many processes of an environment the pool parks. */
export interface ParkedCount {
  /** The pool parks so many again as soon as runs have begun. */
  min: number;
  /** The pool parks so many while the machine is idle. */
  max: number;
  /** The pool keeps so many when nobody has started a run for long. */
  asleep: number;
}

/** Returns how many processes to park for an environment: `min` at most two for each core, `max` one for each slot. */
export function parkedCount(
  environment: Environment,
  { cores, memoryBytes, slots }: { cores: number; memoryBytes: number; slots: number },
): ParkedCount {
  const { parking } = runEnvironment(environment);
  const fitting = Math.floor((memoryBytes * parking.memoryShare) / parking.bytes);
  const max = Math.min(fitting, parking.max, slots);
  return {
    min: Math.min(max, parking.maxMin, Math.max(2, 2 * cores)),
    max,
    asleep: Math.min(max, parking.asleep),
  };
}
