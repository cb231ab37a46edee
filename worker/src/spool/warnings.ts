import { LIMITS } from '@trawl/contracts';

/** The last echo of a run that has sent as many as Trawl keeps. */
export const FULL = `This run has sent ${LIMITS.echoBytesPerRun / 1024 / 1024} MB of echoes, the maximum that Trawl keeps; it drops the rest.`;

/** The last echo of a run after a failed write. */
export const LOST =
  'The worker could not write to its disk. Echoes that are missing before this line are lost, and Trawl saves no further echoes of this run.';
