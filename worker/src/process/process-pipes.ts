import { LIMITS } from '@trawl/contracts';
import { exitText } from './exit-text.js';
import { LineReader } from './line-reader.js';
import type { LimitReached, ProcessEnd, RunProcess } from './run-process.js';

/** Maximum length of a message. An echo image or an output needs less as JSON text. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Maximum length of a printed line. A cut line gets a marker, and together they must not be longer than an echo. */
export const PRINTED_LINE_BYTES = LIMITS.echoMsgChars - 100;
/**
 * A pipe may stay open after its process has ended. If nothing arrives in it for this long, the worker stops reading.
 */
const PIPE_IDLE_MS = 1_000;
/**
 * A process that is not loaded after this time counts as failed. Loading normally takes 50 ms, or 1 s with a browser.
 */
const LOADING_MS = 30_000;
/**
 * If a process fails while it is loading, its error contains at most this many characters of the text that it printed.
 */
const MAX_PRINTED_CHARS = 500;

/** Receives the lines that a process writes, and its end. */
export interface ProcessListener {
  /** One line of the message pipe, and its data. */
  message(line: string, cut: boolean, data: Buffer | null): void;
  /** One line that the skript's child processes or native code printed. */
  printed(type: 'log' | 'error', text: string, cut: boolean): void;
  /** If it returns a promise, reading waits for it. */
  pace(pipe: 'messages' | 'printed'): Promise<void> | undefined;
  /** The process has ended; its pipes may hold more lines. */
  ended(end: ProcessEnd): void;
  limitReached(limit: LimitReached): void;
}

/**
 * Reads the pipes of a process during its whole life. Passes the lines to the current listener, which can be replaced,
 * and drops them while there is none.
 */
export class ProcessPipes {
  #listener: ProcessListener | undefined;
  #ended: ProcessEnd | undefined;
  readonly #messages: LineReader;
  readonly #printed: LineReader[];

  constructor({ messages, stdout, stderr, ended, limitReached }: RunProcess) {
    this.#messages = new LineReader(messages, {
      maxBytes: MAX_MESSAGE_BYTES,
      maxDataBytes: LIMITS.storageOperationBytes,
      line: (text, cut, data) => this.#listener?.message(text, cut, data),
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

  /** Replaces the listener. */
  listen(listener: ProcessListener | undefined): void {
    this.#listener = listener;
    if (this.#ended) listener?.ended(this.#ended);
  }

  /**
   * Resolves when the runner has loaded and waits for its first run.
   *
   * @throws Error when the process ends first, reaches a limit, or takes longer than `LOADING_MS`.
   */
  async parked(): Promise<void> {
    let printed = '';
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (what: string) =>
          reject(new Error(`The process for a run ${what} while it was loaded.${printed}`));
        timer = setTimeout(() => fail(`said nothing for ${LOADING_MS / 1_000} s`), LOADING_MS);
        this.listen({
          // The runner can be trusted here: no user code has run in the process yet.
          message: line => line.includes('"t":"parked"') && resolve(),
          printed: (_type, text) => {
            printed = `${printed} ${text}`.slice(0, MAX_PRINTED_CHARS);
          },
          pace: () => undefined,
          ended: end => void this.allRead().then(() => fail(exitText(end))),
          limitReached: ({ text }) => reject(new Error(text)),
        });
      });
    } finally {
      clearTimeout(timer);
      this.listen(undefined);
    }
  }

  /** Resolves when all that was printed so far has been read. */
  async printedRead(): Promise<void> {
    await Promise.all(this.#printed.map(pipe => pipe.emptied()));
  }

  /** Call after the process has ended: resolves when the rest of its pipes has been read. */
  async allRead(): Promise<void> {
    await Promise.all([this.#messages, ...this.#printed].map(pipe => pipe.leftRead(PIPE_IDLE_MS)));
  }
}
