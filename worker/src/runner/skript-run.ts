import { LIMITS, type RequestedHost } from '@trawl/contracts';
import { cutText } from '../protocol/cut-text.js';
import type { RunnerErrorCode, StartCommand } from '../protocol/pipe-messages.js';
import { type LoadedSkript, NotAFunctionError } from './loaded-skript.js';
import type { MessagesPipe } from './messages-pipe.js';
import { OutputNotJsonError, outputJson } from './output-json.js';
import { writeRunFiles } from './run-files.js';
import { adviceOnThrown, hasSourcePosition, thrownText } from './stack/stack-text.js';

export interface RunEvents {
  /** Returns the second argument of main.js for this input secret. */
  secondParameter(secret: unknown): unknown;
  /**
   * Called when main.js has returned. If it returns a promise, the run waits for it before it reports its output. Its value
   * is the output if main.js has returned nothing.
   */
  returned(): Promise<unknown> | null;
  /**
   * Called before the run reports an error. If it returns a promise, the report waits for it; it returns null if there
   * is nothing to wait for.
   */
  beforeError(): Promise<unknown> | null;
  /** Called before the run reports its outcome. */
  beforeEnd(): void;
  /** Returns the number of requests of the run by host; undefined if there were none. */
  requests(): RequestedHost[] | undefined;
  /** Whether main.js may be a program that exports no function, as those of Crawlee are. */
  isProgram(): boolean;
  /** Called after the run has reported its output, if its process is kept for another run. */
  settled(): void;
}

/** One run of a skript. It reports exactly one outcome. */
export class SkriptRun {
  readonly #start: StartCommand;
  readonly #skript: LoadedSkript;
  readonly #messages: MessagesPipe;
  readonly #events: RunEvents;
  #isOver = false;
  /** Whether main.js exports no function, and is a program that ends when nothing is left to do. */
  #isProgram = false;
  #failing = false;

  constructor(start: StartCommand, skript: LoadedSkript, messages: MessagesPipe, events: RunEvents) {
    this.#start = start;
    this.#skript = skript;
    this.#messages = messages;
    this.#events = events;
  }

  async run(): Promise<void> {
    try {
      const { code, files, folder, input, input_secret } = this.#start;
      writeRunFiles(files, folder);
      const loading = code === null ? null : this.#skript.load(code);
      if (loading !== null) await loading;
      const output = await this.#skript.call(parsed(input), this.#events.secondParameter(parsed(input_secret)));
      await this.#finish(output);
    } catch (error) {
      if (error instanceof NotAFunctionError && this.#events.isProgram()) this.#isProgram = true;
      else if (error instanceof NotAFunctionError) this.#fail('not_a_function', error.message);
      else this.failThrown(error, '');
    }
  }

  /** Reports that the promise of main.js will never settle. Call this when the event loop is empty. */
  neverSettled(): void {
    if (this.#isProgram) {
      void this.exit();
      return;
    }
    const text = `The promise that main.js returned was never settled: nothing is left that could settle it.${this.#returnedBy()}`;
    this.#fail('promise_never_settled', text);
  }

  /**
   * Ends the run without a returned value, as a program that has done its work. Its process serves no other run, because a
   * program runs only when it is loaded.
   */
  async exit(): Promise<void> {
    try {
      await this.#finish(undefined, true);
    } catch (error) {
      this.failThrown(error, '');
    }
  }

  /** @param prefix text before the error that says its kind, such as `Uncaught exception: ` */
  failThrown(thrown: unknown, prefix: string): void {
    const text = thrownText(this.#skript.withoutCodeFrame(thrown));
    const advice = adviceOnThrown(thrown);
    const start = advice === null ? prefix : `${advice}\n${prefix}`;
    this.#fail('exception', `${start}${text}${hasSourcePosition(text) ? '' : this.#returnedBy()}`);
  }

  /** Ends a replay that sent a request which its record does not have. */
  missed(text: string): void {
    this.#fail('replay_miss', text + this.#returnedBy());
  }

  async #finish(returned: unknown, isLast = false): Promise<void> {
    const last = this.#events.returned();
    const other = last === null ? undefined : await last;
    this.#settle(returned === undefined ? other : returned, isLast);
  }

  #settle(output: unknown, isLast: boolean): void {
    if (this.#failing || this.#isOver) return;
    let json: string;
    try {
      json = outputJson(output);
    } catch (error) {
      if (error instanceof OutputNotJsonError) this.#fail('output_not_json', `${error.message}${this.#returnedBy()}`);
      else this.failThrown(error, 'While the output was written as JSON: ');
      return;
    }
    const bytes = Buffer.byteLength(json);
    if (bytes > this.#start.output_bytes) {
      const text = `The output is ${bytes} bytes as JSON; the limit is ${this.#start.output_bytes}. Keep large results in storage and return a summary.`;
      this.#fail('output_too_large', text + this.#returnedBy());
      return;
    }
    this.#events.beforeEnd();
    this.#isOver = true;
    const requests = this.#events.requests();
    this.#messages.send({ t: 'settled', output: json, requests, ...(isLast && { is_last: true }) });
    if (this.#start.warm && !isLast) this.#events.settled();
    else endProcess();
  }

  #returnedBy(): string {
    const position = this.#skript.position();
    return position ? `\n    at the exported function (${position})` : '';
  }

  #fail(code: RunnerErrorCode, stack: string): void {
    // If the run is already over, the error happened in a warm process between two runs and belongs to neither of them.
    // So end the process.
    if (this.#isOver) endProcess();
    // Report only the first error.
    if (this.#failing) return;
    this.#failing = true;
    const before = this.#events.beforeError();
    if (before === null) this.#reportFailure(code, stack);
    else void before.finally(() => this.#reportFailure(code, stack));
  }

  #reportFailure(code: RunnerErrorCode, stack: string): void {
    this.#events.beforeEnd();
    // The worker cuts the stack too. Cut it here already, so that it fits into a line of the pipe.
    const text = cutText(stack, 2 * LIMITS.errorStackChars);
    this.#messages.send({ t: 'failed', code, stack: text, requests: this.#events.requests() });
    endProcess();
  }
}

const parsed = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));

/** Ends the process at once. Does not wait for timers of the skript and does not call its exit listeners. */
function endProcess(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}
