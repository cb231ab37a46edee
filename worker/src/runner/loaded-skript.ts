import { functionPlace } from './function-place.js';
import { exportedFunction, type SkriptFolders, SkriptModule } from './skript-module.js';
import { SourcePlaces } from './source-places.js';
import { nameSourcesInStacks } from './stack-text.js';

/** What main.js exports is not what a run can call; the message says what it should be. */
export class NotAFunction extends Error {}

/** A bundle whose top level has run in this process, once for all runs that the process has. */
export class LoadedSkript {
  readonly #module: SkriptModule;
  readonly #sources: SourcePlaces;
  #main: ((input: unknown, inputSecret: unknown) => unknown) | undefined;

  /** `folders`: of the stock libraries, of those of its lock, and the run's own. */
  constructor(code: string, folders: SkriptFolders) {
    this.#module = new SkriptModule(folders);
    this.#sources = new SourcePlaces(code);
    nameSourcesInStacks({
      bundle: this.#module.filename,
      libraries: this.#module.libraries,
      sources: this.#sources,
    });
  }

  /**
   * Runs the bundle's top level and gives the function that main.js exports.
   *
   * @throws NotAFunction, and whatever the skript throws.
   */
  load(code: string): void {
    const exports = this.#module.load(code);
    const main = exportedFunction(exports);
    if (!main) {
      throw new NotAFunction(
        `main.js must export a function, such as module.exports = async input => { … }; it exports ${kindOf(exports)}.\n    at main.js:1:1`,
      );
    }
    this.#main = main;
  }

  call(input: unknown, inputSecret: unknown): unknown {
    return this.#main?.(input, inputSecret);
  }

  /** Where the exported function stands, such as `main.js:3:18`; null when main.js does not show it. */
  place(): string | null {
    const bundled = functionPlace(this.#main, this.#module.loader);
    const place = bundled && this.#sources.find(bundled.line, bundled.column);
    return place ? `${place.file}:${place.line}:${place.column}` : null;
  }

  /** Code that V8 cannot parse has no frame of its own: its stack begins with the bundle's file and line instead. */
  withoutCodeFrame(thrown: unknown): unknown {
    if (!(thrown instanceof SyntaxError) || typeof thrown.stack !== 'string') return thrown;
    const { filename } = this.#module;
    if (!thrown.stack.startsWith(`${filename}:`)) return thrown;
    const line = Number.parseInt(thrown.stack.slice(filename.length + 1), 10);
    const column = (thrown.stack.split('\n')[2]?.indexOf('^') ?? 0) + 1;
    const place = this.#sources.find(line, Math.max(1, column));
    thrown.stack = `SyntaxError: ${thrown.message}${place ? `\n    at ${place.file}:${place.line}:${place.column}` : ''}`;
    return thrown;
  }
}

function kindOf(exports: unknown): string {
  if (exports === null || typeof exports !== 'object') return `a value of type ${typeof exports}`;
  const names = Object.keys(exports);
  return names.length === 0 ? 'nothing' : `an object with ${names.slice(0, 5).join(', ')}`;
}
