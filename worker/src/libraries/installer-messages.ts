/** Messages between the worker and its installer. They use Node's IPC channel, which the code of users cannot reach. */
import type { Lock, NpmFailure, WriteLimits, Written } from '@trawl/libraries';

export interface InstallRequest {
  lock: Lock;
  /** An empty folder. Afterwards it contains only `node_modules`, which all users may read and only the worker's may write. */
  folder: string;
  /** Address of the registry; undefined for the one that npm uses on this machine. */
  registry: string | undefined;
  limits: WriteLimits;
  timeLimitMs: number;
  /** See `NpmOptions`. */
  slowMs: number;
}

export type ToInstaller =
  | ({ t: 'install'; n: number } & InstallRequest)
  | { t: 'abort'; n: number }
  | { t: 'remove'; n: number; folder: string };

export type FromInstaller =
  /** The installation waits for a slow registry. */
  | { t: 'slow'; n: number }
  | { t: 'done'; n: number; written: Written | null }
  /** `failure`: why npm failed; null for another error. */
  | { t: 'failed'; n: number; failure: NpmFailure | null; text: string };
