/**
 * Messages between the worker and the process of a run: one JSON object a line, on two pipes. Storage calls and answers
 * also have data, see `pipeLine` of `@trawl/contracts`. The worker trusts nothing that comes from the run; these types
 * describe what an honest runner sends.
 */
import type {
  ExchangeHead,
  OnMiss,
  PageSeen,
  PoliteOperation,
  PostgresAnswer,
  PostgresOperation,
  ProxyOperation,
  RequestedHost,
  RunErrorCode,
  RunFile,
  StorageOperation,
} from '@trawl/contracts';

/** File descriptors of the two pipes in the run's process. */
export const COMMANDS_FD = 3;
export const MESSAGES_FD = 4;

export interface StartCommand {
  t: 'start';
  /** Number of the run in this process, counted from 1. The worker drops messages with the number of another run. */
  run: number;
  /**
   * If true, the process waits for another start command after main.js has returned. The code is not sent again then.
   */
  warm: boolean;
  /** The bundle: CommonJS code with an inline source map. Null if the process has the code from an earlier run. */
  code: string | null;
  /** Files for the run's folder. They are sent for each run, because the previous run may have changed its copies. */
  files: RunFile[];
  /** JSON text. */
  input: string | null;
  input_secret: string | null;
  execution_id: string;
  /** Id of the first attempt, if this run is a retry. */
  retry_of: string | null;
  skript: { id: string; title: string };
  worker: { id: string; name: string };
  output_bytes: number;
  /** Whether the run sends its last HTTP exchanges to the worker when it ends. */
  keeps_exchanges: boolean;
  /** The default key of the rows of `dataset.push`; null if there is none. */
  row_key: string | string[] | null;
  /** The run's own folder. */
  folder: string;
  /** Folder whose node_modules contains the skript's libraries; null if the skript has none. */
  libraries: string | null;
  /** Whether the run sends its HTTP exchanges as messages `record`. */
  record?: boolean;
  /** Whether its requests wait for slots of their domains. */
  polite?: boolean;
  /** Name of the pool of proxies through which it connects. */
  proxy?: string;
  /** The run is a replay of the record that the commands `record` before this one have brought. */
  replay?: { on_miss: OnMiss };
}

export type CommandToRun =
  | StartCommand
  /** Load the modules that most runs use. This is sent only before the first start. */
  | { t: 'prepare' }
  /** The data is the next piece of the record that the run replays. */
  | { t: 'record' }
  | { t: 'stop' }
  /**
   * The time limit is over. The run answers with a message `place` that says where in the skript it is, unless it
   * blocks its event loop.
   */
  | { t: 'place' }
  /** If `error` is null, the data is the result. */
  | { t: 'storage'; call: number; error: { code: string; message: string } | null }
  /** The data, if any, is the JSON of the rows of the result. */
  | { t: 'postgres'; call: number; answer: PostgresAnswer }
  | { t: 'answer'; call: number; answer: string };

/** Error codes that the runner sends. The worker and the platform set all other error codes. */
const RUNNER_ERRORS = [
  'exception',
  'not_a_function',
  'promise_never_settled',
  'output_not_json',
  'output_too_large',
  'replay_miss',
] as const satisfies readonly RunErrorCode[];
export type RunnerErrorCode = (typeof RUNNER_ERRORS)[number];

export const isRunnerError = (code: unknown): code is RunnerErrorCode =>
  (RUNNER_ERRORS as readonly unknown[]).includes(code);

/** A storage call without its arguments, which are the data of its message. */
export type StorageCall =
  | Omit<StorageOperation, 'args' | 'resend'>
  | Omit<PoliteOperation, 'args' | 'resend'>
  | Omit<ProxyOperation, 'args' | 'resend'>;

/** Maximum number of echoes in one message. The worker drops a message with more, which the real runner never sends. */
export const MAX_BATCH_ITEMS = 1_000;

/** `[type, msg, time]` */
export type EchoItem = [type: string, msg: string, time: string];

export type MessageFromRun =
  /** The process has loaded and waits for its first run. */
  | { t: 'parked' }
  | { t: 'echoes'; items: EchoItem[] }
  /** The data is the arguments. */
  | { t: 'storage'; call: number; op: StorageCall }
  | { t: 'postgres'; call: number; op: PostgresOperation }
  /** The data is JSON with values of a session that the platform does not know yet. Echoes must not contain them. */
  | { t: 'session' }
  | { t: 'question'; call: number; text: string; choices: string[] }
  /** The data is the next piece of the run's record. */
  | { t: 'record' }
  /** What the run's record lacks. */
  | { t: 'record_lacks'; text: string }
  /** The skript no longer waits for the answer. An older skript may have answered the question itself. */
  | { t: 'question_over'; call: number; is_answered: boolean }
  /** One of the last HTTP exchanges, sent before the end. The data is the request body and the body. */
  | { t: 'exchange'; head: ExchangeHead }
  /** The page that the skript used last, sent before the end. */
  | { t: 'page'; page: PageSeen }
  /** `output` is JSON text. `requests` is missing if there were none. `is_last`: the process can serve no other run. */
  | { t: 'settled'; output: string; requests?: RequestedHost[]; is_last?: boolean }
  | { t: 'failed'; code: RunnerErrorCode; stack: string; requests?: RequestedHost[] }
  /** The skript called process.exit; `stack` says where. */
  | { t: 'exiting'; stack: string }
  | { t: 'place'; text: string; requests?: RequestedHost[] };

/**
 * Parses a line that a run has written. The fields of the message may have any value. Returns undefined if the line is
 * not a message.
 */
export function messageOf(text: string): (MessageFromRun & Record<string, unknown>) | undefined {
  // Check this first, because it is faster than an error of the parser, and a run may write millions of such lines.
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The real runner sends no empty batch. A flood of them would cost memory for each and count towards no limit. */
export const isBatch = (items: unknown): items is unknown[] =>
  Array.isArray(items) && items.length > 0 && items.length <= MAX_BATCH_ITEMS;

/**
 * Returns the value if it is a text, else an empty text. Do not use `String(value)`, which throws for some values that
 * a run can send.
 */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
