/**
 * What the worker and the process of a run say to each other: one JSON object a line, on two pipes of their own. The
 * worker trusts nothing that comes from the run; these types say what an honest runner sends.
 */
import type { RunErrorCode, StorageAnswer, StorageOperation } from '@trawl/contracts';

/** Descriptors of the two pipes in the run's process. */
export const COMMANDS_FD = 3;
export const MESSAGES_FD = 4;

export interface StartCommand {
  t: 'start';
  /** Which run of this process it is, from 1; the messages of the run carry the number, and no other's are taken. */
  run: number;
  /** Whether the process is kept when main.js returns, and waits for another start. It then has the code already. */
  warm: boolean;
  /** The bundle: CommonJS code with an inline source map. Null when this process has it from a run before. */
  code: string | null;
  /** JSON text. */
  input: string | null;
  input_secret: string | null;
  execution_id: string;
  skript: { id: string; title: string };
  worker: { id: string; name: string };
  output_bytes: number;
  /** The run's own folder. */
  folder: string;
  /** Folder whose node_modules has the libraries of its lock; null without any. */
  libraries: string | null;
}

export type CommandToRun =
  | StartCommand
  /** No run wants this process yet: it may load what most of them use. Only before the first start. */
  | { t: 'prepare' }
  | { t: 'stop' }
  /** Time is up: the run answers with `place` if its loop still turns. */
  | { t: 'place' }
  | { t: 'storage'; call: number; answer: StorageAnswer };

/** Why an honest runner gives up; the other codes are the worker's and the platform's to say. */
const RUNNER_ERRORS = [
  'exception',
  'not_a_function',
  'promise_never_settled',
  'output_not_json',
  'output_too_large',
] as const satisfies readonly RunErrorCode[];
export type RunnerErrorCode = (typeof RUNNER_ERRORS)[number];

export const isRunnerError = (code: unknown): code is RunnerErrorCode =>
  (RUNNER_ERRORS as readonly unknown[]).includes(code);

export type StorageCall = Omit<StorageOperation, 'resend'>;

/** So many echoes an honest runner puts into one message at most. */
export const MAX_BATCH_ITEMS = 1_000;

/** `[type, msg, time]` */
export type EchoItem = [type: string, msg: string, time: string];

export type MessageFromRun =
  /** The process is loaded and waits for its first run. */
  | { t: 'parked' }
  | { t: 'echoes'; items: EchoItem[] }
  | { t: 'storage'; call: number; op: StorageCall }
  /** `output` is JSON text. */
  | { t: 'settled'; output: string }
  | { t: 'failed'; code: RunnerErrorCode; stack: string }
  /** The skript called process.exit: from where. */
  | { t: 'exiting'; stack: string }
  | { t: 'place'; text: string };

/** A line of a run's as it says to be; nothing of it is known to be true. Undefined when it is no message. */
export function messageOf(text: string): (MessageFromRun & Record<string, unknown>) | undefined {
  // Sooner than by the parser's error, which takes its time: noise comes by the million.
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isBatch = (items: unknown): items is unknown[] => Array.isArray(items) && items.length <= MAX_BATCH_ITEMS;

/** Never `String(value)`: what a run makes up may have no way to become text, and throw. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
