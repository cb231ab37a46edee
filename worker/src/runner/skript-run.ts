import { LIMITS } from '@trawl/contracts';
import { cutText } from '../cut-text.js';
import type { RunnerErrorCode, StartCommand } from '../pipe-messages.js';
import { type LoadedSkript, NotAFunction } from './loaded-skript.js';
import type { MessagesPipe } from './messages-pipe.js';
import { OutputProblem, outputJson } from './output-json.js';
import { namesPlace, thrownText } from './stack-text.js';

export interface RunEvents {
  /** An error is about to be told. What it returns is waited for; null when there is nothing to wait for. */
  beforeError(): Promise<void> | null;
  /** The outcome is about to be told. */
  beforeEnd(): void;
  /** The output was told, and the process is kept. */
  settled(): void;
}

/** One run of a skript, from its first line to what it returns. Exactly one outcome is reported. */
export class SkriptRun {
  readonly #start: StartCommand;
  readonly #skript: LoadedSkript;
  readonly #messages: MessagesPipe;
  readonly #events: RunEvents;
  #isOver = false;
  #failing = false;

  constructor(start: StartCommand, skript: LoadedSkript, messages: MessagesPipe, events: RunEvents) {
    this.#start = start;
    this.#skript = skript;
    this.#messages = messages;
    this.#events = events;
  }

  async run(): Promise<void> {
    try {
      const { code, input, input_secret } = this.#start;
      if (code !== null) this.#skript.load(code);
      const output = await this.#skript.call(parsed(input), parsed(input_secret));
      this.#settle(output);
    } catch (error) {
      if (error instanceof NotAFunction) this.#fail('not_a_function', error.message);
      else this.failThrown(error, '');
    }
  }

  neverSettled(): void {
    const text = `The promise that main.js returned was never settled: nothing is left that could settle it.${this.#returnedBy()}`;
    this.#fail('promise_never_settled', text);
  }

  /** `prefix` says what kind of throw it was. */
  failThrown(thrown: unknown, prefix: string): void {
    const text = thrownText(this.#skript.withoutCodeFrame(thrown));
    this.#fail('exception', `${prefix}${text}${namesPlace(text) ? '' : this.#returnedBy()}`);
  }

  #settle(output: unknown): void {
    if (this.#failing) return;
    let json: string;
    try {
      json = outputJson(output);
    } catch (error) {
      if (error instanceof OutputProblem) this.#fail('output_not_json', `${error.message}${this.#returnedBy()}`);
      else this.failThrown(error, 'While the output was written as JSON: ');
      return;
    }
    const bytes = Buffer.byteLength(json);
    if (bytes > this.#start.output_bytes) {
      const text = `The output is ${bytes} bytes as JSON, more than the ${this.#start.output_bytes} that an output may have. Keep large results in storage and return a summary.`;
      this.#fail('output_too_large', text + this.#returnedBy());
      return;
    }
    this.#events.beforeEnd();
    this.#isOver = true;
    this.#messages.send({ t: 'settled', output: json });
    if (this.#start.warm) this.#events.settled();
    else endProcess();
  }

  #returnedBy(): string {
    const place = this.#skript.place();
    return place ? `\n    at the exported function (${place})` : '';
  }

  #fail(code: RunnerErrorCode, stack: string): void {
    // What fails after a run was over, in a process that was kept, is no run's to tell.
    if (this.#isOver) endProcess();
    // The first error is the run's; what goes on meanwhile changes nothing about it.
    if (this.#failing) return;
    this.#failing = true;
    const waited = this.#events.beforeError();
    if (waited === null) this.#tellFailure(code, stack);
    else void waited.finally(() => this.#tellFailure(code, stack));
  }

  #tellFailure(code: RunnerErrorCode, stack: string): void {
    this.#events.beforeEnd();
    // The worker cuts it as well; a text of any size would not fit the pipe's lines.
    this.#messages.send({ t: 'failed', code, stack: cutText(stack, 2 * LIMITS.errorStackChars) });
    endProcess();
  }
}

const parsed = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));

/** At once: what the skript left running, exit listeners included, is not waited for. */
function endProcess(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}
