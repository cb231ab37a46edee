import type { Readable, Writable } from 'node:stream';
import type { SandboxLevel } from '@trawl/contracts';

/** What identifies a run's process beyond the worker's own life: a pid alone may by then be someone else's. */
export interface ProcessMark {
  pid: number;
  /** Start time as the kernel counts it; null where that is not known. */
  started: string | null;
  /** Which start of the machine that was; null where that is not known. */
  boot: string | null;
  /** User id of the run's own, null when it runs as the worker's user. */
  uid: number | null;
}

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The process of one run. */
export interface RunProcess {
  readonly mark: ProcessMark;
  /** One JSON object a line, both ways. */
  readonly commands: Writable;
  readonly messages: Readable;
  /** What the skript's own child processes and native code print. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process is gone; its children may not be. */
  readonly ended: Promise<ProcessEnd>;
  /**
   * Stops the process and all that it started where they stand, whatever they do.
   *
   * @throws Error that says why it cannot be done; nothing is stopped then.
   */
  freeze(): Promise<void>;
  /** Lets everything that is frozen go on. */
  thaw(): Promise<void>;
  /** Ends the process and all that it started; resolves when nothing of it is left. May be called more than once. */
  kill(): Promise<void>;
}

export interface RunPlace {
  /** Number of the slot, from 0: no two runs at a time have the same. */
  slot: number;
  /** The run's own folder, which exists. */
  folder: string;
}

/** How a run's process is made. One file for each way. */
export interface Executor {
  readonly level: SandboxLevel;
  /** @throws Error when no process can be started. */
  start(place: RunPlace): Promise<RunProcess>;
  /**
   * Makes sure that no process of an earlier run is left in a slot, before it is used again.
   *
   * @throws Error when there is, and it cannot be ended.
   */
  clear(slot: number): Promise<void>;
}
