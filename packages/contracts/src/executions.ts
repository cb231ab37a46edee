/** The values of a skript execution's `action`. `resume` sets it back to `start`. */
export const ACTIONS = ['start', 'pause', 'stop', 'end', 'error'] as const;
export type Action = (typeof ACTIONS)[number];

/** A run with one of these actions is live. Every other action is final: it never changes again. */
export const LIVE_ACTIONS = ['start', 'pause'] as const satisfies readonly Action[];
export const FINAL_ACTIONS = ['stop', 'end', 'error'] as const satisfies readonly Action[];
export type FinalAction = (typeof FINAL_ACTIONS)[number];

export const isLive = (action: Action): boolean => (LIVE_ACTIONS as readonly Action[]).includes(action);

/**
 * The reasons why a live run makes no progress. Those in `RUN_WAITS` occur on a worker; the others occur before a
 * worker has accepted the run.
 */
export const WAITING_REASONS = [
  'worker_offline',
  'worker_full',
  'worker_restarting',
  'no_suitable_worker',
  'libraries_resolving',
  'libraries_installing',
  'process_starting',
  'storage_down',
  'retry_scheduled',
  'maintenance',
] as const;
export type WaitingReason = (typeof WAITING_REASONS)[number];

/** Each reason, as the end of a sentence such as "The run waits: …". */
export const WAITING_TEXTS: Record<WaitingReason, string> = {
  worker_offline: 'the worker is offline',
  worker_full: 'the worker has no free slot for your account',
  worker_restarting: 'the worker is restarting',
  no_suitable_worker: 'no available worker supports its environment with a sufficient sandbox',
  libraries_resolving: 'the platform is looking for the versions of its libraries',
  libraries_installing: 'the worker is installing its libraries',
  process_starting: 'its process is starting',
  storage_down: 'the storage is down',
  retry_scheduled: 'the next attempt is scheduled',
  maintenance: 'the platform is in maintenance',
};

/** The reasons that a worker reports for a run it has accepted. */
export const RUN_WAITS = [
  'libraries_installing',
  'process_starting',
  'storage_down',
] as const satisfies readonly WaitingReason[];
export type RunWait = (typeof RUN_WAITS)[number];

/** Shape in the API; times are ISO 8601. */
export interface WaitingFor {
  reason: WaitingReason;
  since: string;
  /** For `retry_scheduled`: when the next attempt starts. */
  until?: string;
  /** For the reasons about libraries, while those of other runs come first: the place in the queue, from 1, and its length. */
  place?: number;
  of?: number;
  /** For `libraries_resolving`, after the queue: how many packages npm has found so far. */
  packages?: number;
}

export const ENVIRONMENTS = ['nodejs', 'browser', 'python'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const WORKER_STATUSES = ['online', 'draining', 'restarting', 'offline'] as const;
export type WorkerStatus = (typeof WORKER_STATUSES)[number];

/** Ways to restart a worker. With `drain`, the worker first waits until its live runs end. With `stop`, it ends them. */
export const RESTART_MODES = ['drain', 'stop'] as const;
export type RestartMode = (typeof RESTART_MODES)[number];

export const SANDBOX_LEVELS = ['full', 'reduced', 'none'] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];

/**
 * Layers of a sandbox. A sandbox of the level `full` has all of them. `own_user`: a user id for each run; `namespaces`:
 * isolated processes, files and IPC; `syscalls`: a system call filter; `limits`: memory, processes, files and disk;
 * `egress`: no access to private addresses.
 */
export const SANDBOX_LAYERS = ['own_user', 'namespaces', 'syscalls', 'limits', 'egress'] as const;
export type SandboxLayerName = (typeof SANDBOX_LAYERS)[number];

/** `note`: how the worker implements the layer, or why the layer is missing and how to enable it. */
export interface SandboxLayer {
  name: SandboxLayerName;
  holds: boolean;
  note: string;
}

/** Which runs of a skript are recorded for replay: none, only the next one, or all. */
export const RECORD_MODES = ['off', 'next', 'always'] as const;
export type RecordMode = (typeof RECORD_MODES)[number];

/** Ways to handle a request of a replay to which the record has no answer. */
export const ON_MISS = ['fail', 'network'] as const;
export type OnMiss = (typeof ON_MISS)[number];

/** The record of a run as the run shows it. */
export interface RecordSummary {
  /** 0 if the run has none. */
  bytes: number;
  exchanges: number;
  /** A sentence: why the run has no record, or what its record lacks. Null if the record is complete. */
  problem: string | null;
}

/** The record of a run from its start until its worker sends it. */
export const RECORD_NOT_SENT: RecordSummary = {
  bytes: 0,
  exchanges: 0,
  problem:
    'The worker of the run has not sent its record, because the run never reached a worker or the worker was lost.',
};
export const MAX_RECORD_PROBLEM_CHARS = 1_000;
