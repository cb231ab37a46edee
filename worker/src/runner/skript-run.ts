import { join, sep } from 'node:path';
import { LIMITS } from '@trawl/contracts';
import { cutText } from '../cut-text.js';
import type { RunnerErrorCode, StartCommand } from '../pipe-messages.js';
import { functionPlace } from './function-place.js';
import type { MessagesPipe } from './messages-pipe.js';
import { OutputProblem, outputJson } from './output-json.js';
import { exportedFunction, SkriptModule } from './skript-module.js';
import { SourcePlaces } from './source-places.js';
import { nameSourcesInStacks, namesPlace, thrownText } from './stack-text.js';

/** One skript from its first line to what it returns. Exactly one outcome is reported, then the process ends. */
export class SkriptRun {
  readonly #start: StartCommand;
  readonly #messages: MessagesPipe;
  readonly #beforeEnd: () => void;
  readonly #module: SkriptModule;
  readonly #sources: SourcePlaces;
  #function: unknown;

  constructor(start: StartCommand, runtime: string, messages: MessagesPipe, beforeEnd: () => void) {
    this.#start = start;
    this.#messages = messages;
    this.#beforeEnd = beforeEnd;
    this.#module = new SkriptModule(runtime, start.folder);
    this.#sources = new SourcePlaces(start.code);
    nameSourcesInStacks({
      bundle: this.#module.filename,
      libraries: join(runtime, 'node_modules') + sep,
      sources: this.#sources,
    });
    this.#watchProcess();
  }

  async run(): Promise<void> {
    try {
      const exports = this.#module.load(this.#start.code);
      const main = exportedFunction(exports);
      if (!main) {
        this.#fail(
          'not_a_function',
          `main.js must export a function, such as module.exports = async input => { … }; it exports ${kindOf(exports)}.\n    at main.js:1:1`,
        );
        return;
      }
      this.#function = main;
      const { input, input_secret } = this.#start;
      const output = await main(parsed(input), parsed(input_secret));
      this.#settle(output);
    } catch (error) {
      this.#failThrown(error, '');
    }
  }

  /** Where the exported function stands, such as `main.js:3:18`; null when main.js does not show it. */
  place(): string | null {
    const bundled = functionPlace(this.#function, this.#module.loader);
    const place = bundled && this.#sources.find(bundled.line, bundled.column);
    return place ? `${place.file}:${place.line}:${place.column}` : null;
  }

  #settle(output: unknown): void {
    let json: string;
    try {
      json = outputJson(output);
    } catch (error) {
      if (error instanceof OutputProblem) this.#fail('output_not_json', `${error.message}${this.#returnedBy()}`);
      else this.#failThrown(error, 'While the output was written as JSON: ');
      return;
    }
    const bytes = Buffer.byteLength(json);
    if (bytes > this.#start.output_bytes) {
      const text = `The output is ${bytes} bytes as JSON, more than the ${this.#start.output_bytes} that an output may have. Keep large results in storage and return a summary.`;
      this.#fail('output_too_large', text + this.#returnedBy());
      return;
    }
    this.#beforeEnd();
    this.#messages.send({ t: 'settled', output: json });
    endProcess();
  }

  #watchProcess(): void {
    const exit = process.exit.bind(process);
    process.exit = (code?: number | string | null): never => {
      const called = new Error(`process.exit(${code ?? ''}) was called`);
      this.#beforeEnd();
      this.#messages.send({ t: 'exiting', stack: thrownText(called).replace(/^Error: /, '') });
      return exit(code);
    };
    // A skript that listens itself has taken it into its own hands.
    process.on('uncaughtException', error => {
      if (process.listenerCount('uncaughtException') === 1) this.#failThrown(error, 'Uncaught exception: ');
    });
    process.on('unhandledRejection', reason => {
      if (process.listenerCount('unhandledRejection') === 1) this.#failThrown(reason, 'Unhandled rejection: ');
    });
    process.on('exit', () => this.#messages.flush());
    process.on('beforeExit', () => {
      const place = this.place();
      this.#fail(
        'promise_never_settled',
        `The promise that main.js returned was never settled: nothing is left that could settle it.${place ? `\n    at the exported function (${place})` : ''}`,
      );
    });
  }

  #failThrown(thrown: unknown, prefix: string): void {
    const text = thrownText(this.#withoutCodeFrame(thrown));
    const place = namesPlace(text) ? null : this.place();
    this.#fail('exception', `${prefix}${text}${place ? `\n    at the exported function (${place})` : ''}`);
  }

  // Code that V8 cannot parse has no frame of its own: its stack begins with the bundle's file and line instead.
  #withoutCodeFrame(thrown: unknown): unknown {
    if (!(thrown instanceof SyntaxError) || typeof thrown.stack !== 'string') return thrown;
    const { filename } = this.#module;
    if (!thrown.stack.startsWith(`${filename}:`)) return thrown;
    const line = Number.parseInt(thrown.stack.slice(filename.length + 1), 10);
    const column = (thrown.stack.split('\n')[2]?.indexOf('^') ?? 0) + 1;
    const place = this.#sources.find(line, Math.max(1, column));
    thrown.stack = `SyntaxError: ${thrown.message}${place ? `\n    at ${place.file}:${place.line}:${place.column}` : ''}`;
    return thrown;
  }

  #returnedBy(): string {
    const place = this.place();
    return place ? `\n    at the exported function (${place})` : '';
  }

  #fail(code: RunnerErrorCode, stack: string): void {
    this.#beforeEnd();
    // The worker cuts it as well; a text of any size would not fit the pipe's lines.
    this.#messages.send({ t: 'failed', code, stack: cutText(stack, 2 * LIMITS.errorStackChars) });
    endProcess();
  }
}

function kindOf(exports: unknown): string {
  if (exports === null || typeof exports !== 'object') return `a value of type ${typeof exports}`;
  const names = Object.keys(exports);
  return names.length === 0 ? 'nothing' : `an object with ${names.slice(0, 5).join(', ')}`;
}

const parsed = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));

/** At once: what the skript left running, exit listeners included, is not waited for. */
function endProcess(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}
