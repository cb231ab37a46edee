import type { Readable, Writable } from 'node:stream';
import type { SandboxLimit } from '@trawl/contracts';
import type { ProcessIdentity } from './process-identity.js';

/** Limits for all processes of one run together. */
export interface RunLimits {
  memoryMb: number;
  /** Seconds of processor time. */
  cpuS: number;
  /** Processes and threads. */
  processes: number;
  /** Maximum number of files on disk. */
  files: number;
  /** Maximum number of open files in each process. All processes together may have eight times as many. */
  openFiles: number;
  diskMb: number;
}

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether packets have left or reached the network of the slot; undefined if unknown. */
  hasUsedNetwork?: boolean;
}

export interface RunUse {
  cpuMs: number;
  memoryBytes: number;
}

/** The limits that a run can reach. `open_files` ends it with the error of `file_limit`, but names another limit. */
export type LimitKind = SandboxLimit | 'open_files';

/** A sandbox limit that a run reached; `text` names the limit, its size, and the setting that raises it. */
export interface LimitReached {
  code: SandboxLimit;
  text: string;
}

/**
 * A process that executes the runner. It is parked until it gets a bundle. Then it serves one run, or several warm runs
 * one after another.
 */
export interface RunProcess {
  readonly identity: ProcessIdentity;
  /** Path of the run's own folder, as the run sees it. The folder is empty when the process starts. */
  readonly folder: string;
  /** Path of the folder with the installed npm libraries, as the run sees it. It contains one folder for each lock. */
  readonly libraries: string;
  /** Pipes to and from the process, with one JSON object on each line. */
  readonly commands: Writable;
  readonly messages: Readable;
  /** Output of the skript's child processes and native code. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has ended; its children may still run. */
  readonly ended: Promise<ProcessEnd>;
  readonly limits: RunLimits;
  /**
   * The run gets these error codes of the system, such as ENOSPC, when it reaches the limit that each code stands for.
   */
  readonly refusals: Record<string, LimitKind>;
  /**
   * Resolves when the run has reached a limit. This may be shortly after the process has ended because of that limit.
   * Never resolves if the run reaches no limit.
   */
  readonly limitReached: Promise<LimitReached>;
  /**
   * Sets the share of the processors that the process gets while others are busy, too: 1 is that of a process which is
   * being started. Does nothing if the kernel does not share the processors between runs.
   */
  share(share: number): void;
  /** Returns the processor time so far and the memory in use of all processes together; null if they cannot be read. */
  usage(): RunUse | null;
  /** Checks now whether the run has reached a limit. */
  look(): LimitReached | null;
  /** Starts watching the limits. Call it just before user code begins. */
  begin(): void;
  /**
   * Freezes the process and all processes that it started.
   *
   * @throws Error that says why this is impossible; no process is frozen then
   */
  freeze(): Promise<void>;
  /** Lets all frozen processes continue. */
  thaw(): Promise<void>;
  /**
   * Kills the process and all processes that it started. Resolves when these processes and the run's folder are gone.
   * It can be called more than once.
   */
  kill(): Promise<void>;
}
