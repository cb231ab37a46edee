import type { Readable, Writable } from 'node:stream';
import type { Environment, SandboxLayer, SandboxLevel, SandboxLimit } from '@trawl/contracts';
import type { RunLimits } from './limits.js';

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

/** A limit of the sandbox that a run has reached; `text` names the limit, its size, and the setting that raises it. */
export interface LimitReached {
  code: SandboxLimit;
  text: string;
}

/** A process of the runner: parked until it is given a bundle, then the process of one run, or of warm ones in turn. */
export interface RunProcess {
  readonly mark: ProcessMark;
  /** The run's own folder, empty at first, by its path as the run sees it. */
  readonly folder: string;
  /** Holds a folder for each installed lock of npm libraries, by its path as the run sees it. */
  readonly libraries: string;
  /** One JSON object a line, both ways. */
  readonly commands: Writable;
  readonly messages: Readable;
  /** What the skript's own child processes and native code print. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process is gone; its children may not be. */
  readonly ended: Promise<ProcessEnd>;
  readonly limits: RunLimits;
  /** Codes of the system, such as ENOSPC, by which the run itself is told that it has reached a limit. */
  readonly refusals: Record<string, SandboxLimit>;
  /** Resolves when a limit is reached, before or soon after the process ends of it; never when none is. */
  readonly limitReached: Promise<LimitReached>;
  /** Which limit has been reached by now; null when none. */
  look(): LimitReached | null;
  /** User code is about to begin: from now on its limits are watched. */
  begin(): void;
  /**
   * Stops the process and all that it started where they stand, whatever they do.
   *
   * @throws Error that says why it cannot be done; nothing is stopped then.
   */
  freeze(): Promise<void>;
  /** Lets everything that is frozen go on. */
  thaw(): Promise<void>;
  /**
   * Ends the process and all that it started; resolves when nothing of it is left, its folder neither. May be called more
   * than once.
   */
  kill(): Promise<void>;
}

/** How a run's process is made. One file for each way. */
export interface Executor {
  readonly level: SandboxLevel;
  readonly layers: SandboxLayer[];
  /**
   * Starts a process that waits for a bundle.
   *
   * @param place from 0: no two processes at a time have the same. It stands for the user id, where there is one.
   * @throws Error when no process can be started.
   */
  start(place: number, environment: Environment): Promise<RunProcess>;
  /**
   * Makes sure that nothing of an earlier process is left in a place, before it is used again.
   *
   * @throws Error when there is, and it cannot be ended.
   */
  clear(place: number): Promise<void>;
}
