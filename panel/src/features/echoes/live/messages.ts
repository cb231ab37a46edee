import type { Echo, EchoType } from '@trawl/contracts';
import type { ConsoleContent } from '../console-content.js';
import type { ConsoleLine } from '../echo-buffer.js';
import type { Questions } from '../questions.js';

export interface EchoFilter {
  type: EchoType | null;
  text: string;
}

export const NO_FILTER: EchoFilter = { type: null, text: '' };

/** The state of a live view as the worker counted it. */
export interface LiveView {
  /** The filter that `content` matches. */
  filter: EchoFilter;
  content: ConsoleContent;
  /** Number of echoes that the worker has, whether they match the filter or not. */
  loaded: number;
  lastSeq: number;
  /** True if the worker lacks echoes that the run sent. */
  isIncomplete: boolean;
  errorSeqs: number[];
  /** The questions of the run, also those that the worker no longer has among its echoes. */
  questions: Questions;
}

/** Messages from the page to the worker. */
export type ToWorker =
  /** A batch as text, which the worker parses. It ignores batches of other runs. */
  | { kind: 'batch'; executionId: string; json: string }
  | { kind: 'echoes'; items: Echo[] }
  /** Questions and answers that may be missing among the loaded echoes. */
  | { kind: 'questions'; items: Echo[] }
  | { kind: 'filter'; filter: EchoFilter }
  /** The page has drawn the last view. The worker sends no other one before. */
  | { kind: 'drawn' }
  /** The user reads the current lines, and `before` asks for these. */
  | { kind: 'hold' }
  /** Asks for lines before the one with this key. */
  | { kind: 'before'; key: number };

/** Messages from the worker to the page. */
export type FromWorker = { kind: 'view'; view: LiveView } | { kind: 'lines'; lines: ConsoleLine[] };
