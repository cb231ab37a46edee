import { LIBRARY_PREFIX } from './node/cached-library.js';
import { exportedFunction, type SkriptFolders, SkriptModule } from './skript-module.js';
import { functionPosition } from './stack/function-position.js';
import { SourcePositions } from './stack/source-positions.js';
import { installStackFormatter } from './stack/stack-text.js';

/** Error: main.js does not export a function. */
export class NotAFunctionError extends Error {}

/**
 * A skript's bundle that is loaded in this process. Its top-level code is executed once. Each run in this process calls
 * the exported function.
 */
export class LoadedSkript {
  readonly #module: SkriptModule;
  readonly #positions: SourcePositions;
  #main: ((input: unknown, inputSecret: unknown) => unknown) | undefined;

  constructor(code: string, folders: SkriptFolders) {
    this.#positions = new SourcePositions(code);
    this.#module = new SkriptModule(folders, this.#positions);
    installStackFormatter({
      bundle: this.#module.filename,
      libraries: [...this.#module.libraries, LIBRARY_PREFIX],
      positions: this.#positions,
    });
  }

  /**
   * Executes the bundle's top-level code, and remembers the function that main.js exports. Returns a promise only if the
   * code has `await` outside a function, because most runs need not wait for one.
   *
   * @throws NotAFunctionError, or the skript's own error
   */
  load(code: string): Promise<void> | null {
    const exports = this.#module.load(code);
    if (exports instanceof Promise) return exports.then(awaited => this.#remember(awaited));
    this.#remember(exports);
    return null;
  }

  #remember(exports: unknown): void {
    this.#main = exportedFunction(exports) ?? undefined;
    if (this.#main) return;
    const { mainFile } = this.#module;
    throw new NotAFunctionError(
      `${mainFile} must export a function, such as module.exports = async input => { … }; it exports ${kindOf(exports)}.\n    at ${mainFile}:1:1`,
    );
  }

  /** The code of the function that main.js exports. */
  get mainCode(): string {
    return String(this.#main);
  }

  call(input: unknown, inputSecret: unknown): unknown {
    // Called without `this`, which stacks would name.
    const main = this.#main;
    return main?.(input, inputSecret);
  }

  /**
   * Returns the position of the exported function, such as `main.js:3:18`; null if the function is not in the user's
   * files.
   */
  position(): string | null {
    const bundled = functionPosition(this.#main, this.#module.loader);
    const position = bundled && this.#positions.find(bundled.line, bundled.column);
    return position ? `${position.file}:${position.line}:${position.column}` : null;
  }

  /**
   * If the thrown value is a SyntaxError in the bundle, replaces the excerpt of code in its stack by a position in the
   * user's file. V8 has no stack frame for code that it cannot parse. Instead, the stack begins with the file and the
   * line of the bundle.
   */
  withoutCodeFrame(thrown: unknown): unknown {
    if (!(thrown instanceof SyntaxError) || typeof thrown.stack !== 'string') return thrown;
    const { filename } = this.#module;
    if (!thrown.stack.startsWith(`${filename}:`)) return thrown;
    const line = Number.parseInt(thrown.stack.slice(filename.length + 1), 10);
    const column = (thrown.stack.split('\n')[2]?.indexOf('^') ?? 0) + 1;
    const position = this.#positions.find(line, Math.max(1, column));
    const frame = position ? `\n    at ${position.file}:${position.line}:${position.column}` : '';
    thrown.stack = `SyntaxError: ${thrown.message}${frame}`;
    return thrown;
  }
}

function kindOf(exports: unknown): string {
  if (exports === null || typeof exports !== 'object') return `a value of type ${typeof exports}`;
  const names = Object.keys(exports);
  return names.length === 0 ? 'nothing' : `an object with ${names.slice(0, 5).join(', ')}`;
}
