import type { Environment, RunNode } from '@trawl/contracts';
import type { ProcessPipes } from '../process/process-pipes.js';
import type { RunProcess } from '../process/run-process.js';

/** A run's requirements for its process. */
export interface ProcessWish {
  environment: Environment;
  /** The version of Node that the run wants. Without it, the run gets the default. */
  node?: RunNode;
  /** Whether the process must have no network. */
  isOffline?: boolean;
  /** Account that owns the skript. Owners take turns while runs wait for processes. */
  ownerId: string;
  /**
   * The run may get a warm process that has served a run with the same key. With null, it gets a process that has not
   * served any run.
   */
  key: string | null;
  /** Whether the watchdog ends the process when the platform is silent for too long. */
  endsWithLease: boolean;
  /** Aborted when the run is over and needs no process. */
  over: AbortSignal;
}

/** A process that one run uses. The worker's code for that run ends the use with `keep` (for later runs) or `end`. */
export interface TakenProcess {
  readonly process: RunProcess;
  readonly pipes: ProcessPipes;
  /** How many runs the process has served, including this one. */
  readonly run: number;
  /** Returns the process to the pool, for the next run with the same key. */
  keep(): void;
  /**
   * Kills the process and its children. Its slot stays taken until `end`.
   *
   * @throws Error if one of these processes cannot be killed
   */
  kill(): Promise<void>;
  /** Kills the process and its children, and frees its slot. Resolves when all of them are gone. */
  end(): Promise<void>;
}
