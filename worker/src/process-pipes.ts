import { LIMITS } from '@trawl/contracts';
import type { LimitReached, ProcessEnd, RunProcess } from './executor/executor.js';
import { LineReader } from './line-reader.js';

/** Above what an echo image, an output or a storage call can need as JSON text. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** A line that a run prints, cut beyond it; the marker has room behind it. */
export const PRINTED_LINE_BYTES = LIMITS.echoMsgChars - 100;
/** With the process gone, a pipe that is open and empty for so long has nothing more to say. */
const PIPE_IDLE_MS = 1_000;

/** Hears what a process says and what becomes of it. */
export interface ProcessListener {
  /** One line on the pipe of messages, up to where it was cut. */
  message(line: string, cut: boolean): void;
  /** One line that the skript's child processes or native code printed, up to where it was cut. */
  printed(type: 'log' | 'error', text: string, cut: boolean): void;
  /** Nothing more is read until what it returns resolves. */
  pace(pipe: 'messages' | 'printed'): Promise<void> | undefined;
  /** The process is gone; its pipes may hold more. */
  ended(end: ProcessEnd): void;
  limitReached(limit: LimitReached): void;
}

/** Reads the pipes of a process for as long as it lives, for one listener after the other; without one, lines are dropped. */
export class ProcessPipes {
  #listener: ProcessListener | undefined;
  #ended: ProcessEnd | undefined;
  readonly #messages: LineReader;
  readonly #printed: LineReader[];

  constructor({ messages, stdout, stderr, ended, limitReached }: RunProcess) {
    this.#messages = new LineReader(messages, {
      maxBytes: MAX_MESSAGE_BYTES,
      line: (text, cut) => this.#listener?.message(text, cut),
      pace: () => this.#listener?.pace('messages'),
    });
    const printed = (type: 'log' | 'error') => ({
      maxBytes: PRINTED_LINE_BYTES,
      line: (text: string, cut: boolean) => this.#listener?.printed(type, text, cut),
      pace: () => this.#listener?.pace('printed'),
    });
    this.#printed = [new LineReader(stdout, printed('log')), new LineReader(stderr, printed('error'))];
    void ended.then(end => {
      this.#ended = end;
      this.#listener?.ended(end);
    });
    void limitReached.then(limit => this.#listener?.limitReached(limit));
  }

  /** From now on this one hears, or nobody. */
  listen(listener: ProcessListener | undefined): void {
    this.#listener = listener;
    if (this.#ended) listener?.ended(this.#ended);
  }

  /** Resolves when all that was printed until now has been read. */
  async printedRead(): Promise<void> {
    await Promise.all(this.#printed.map(pipe => pipe.emptied()));
  }

  /** The process is gone: resolves when all that it left in its pipes has been read. */
  async allRead(): Promise<void> {
    await Promise.all([this.#messages, ...this.#printed].map(pipe => pipe.leftRead(PIPE_IDLE_MS)));
  }
}
