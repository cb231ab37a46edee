/** The five values of `action` of a skript execution. `resume` sets `start` again. */
export const ACTIONS = ['start', 'pause', 'stop', 'end', 'error'] as const;
export type Action = (typeof ACTIONS)[number];

/** A run in one of these goes on; in any other it is over, and for good. */
export const LIVE_ACTIONS = ['start', 'pause'] as const satisfies readonly Action[];
export const FINAL_ACTIONS = ['stop', 'end', 'error'] as const satisfies readonly Action[];
export type FinalAction = (typeof FINAL_ACTIONS)[number];

export const isLive = (action: Action): boolean => (LIVE_ACTIONS as readonly Action[]).includes(action);

/** Why a run that was asked for does not run yet, or what one that is on a worker waits for: `RUN_WAITS`. */
export const WAITING_REASONS = [
  'worker_offline',
  'worker_full',
  'worker_restarting',
  'no_suitable_worker',
  'libraries_installing',
  'process_starting',
  'storage_down',
  'retry_scheduled',
] as const;
export type WaitingReason = (typeof WAITING_REASONS)[number];

/** Those that the worker tells of a run that is on it. */
export const RUN_WAITS = [
  'libraries_installing',
  'process_starting',
  'storage_down',
] as const satisfies readonly WaitingReason[];
export type RunWait = (typeof RUN_WAITS)[number];

/** Shape on the wire; ISO times. */
export interface WaitingFor {
  reason: WaitingReason;
  since: string;
  /** When the next try begins, of `retry_scheduled`. */
  until?: string;
}

export const ENVIRONMENTS = ['nodejs', 'browser', 'python'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const WORKER_STATUSES = ['online', 'draining', 'restarting', 'offline'] as const;
export type WorkerStatus = (typeof WORKER_STATUSES)[number];

/** How a worker restarts: after the runs that are on it have ended, or at once, ending them. */
export const RESTART_MODES = ['drain', 'stop'] as const;
export type RestartMode = (typeof RESTART_MODES)[number];

export const SANDBOX_LEVELS = ['full', 'reduced', 'none'] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];

/**
 * The layers that a sandbox is made of; all of them are `full`. `own_user`: a user id for each run; `namespaces`: processes,
 * files, IPC; `syscalls`: a filter of system calls; `limits`: memory, processes, files, disk; `egress`: no private address.
 */
export const SANDBOX_LAYERS = ['own_user', 'namespaces', 'syscalls', 'limits', 'egress'] as const;
export type SandboxLayerName = (typeof SANDBOX_LAYERS)[number];

/** `note`: how the layer is made, or why it is missing and how to get it. */
export interface SandboxLayer {
  name: SandboxLayerName;
  holds: boolean;
  note: string;
}
