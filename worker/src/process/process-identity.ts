/** Identifies a run's process, also after a restart of the worker, when another process may have the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in the kernel's ticks; null where the system does not show it. */
  started: string | null;
  /** The machine's boot id; null where the system does not show it. */
  boot: string | null;
  /** The run's own user id; null when it runs as the worker's user. */
  uid: number | null;
}
