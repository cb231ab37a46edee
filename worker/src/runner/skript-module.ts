import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { compileFunction, constants } from 'node:vm';
import { STOCK_LIBRARIES } from '@trawl/contracts';
import { puppeteerOfRun } from './puppeteer-of-run.js';

const PUPPETEER = ['puppeteer', 'puppeteer-core'];

type ModuleObject = { exports: unknown };
type Loader = (
  exports: unknown,
  require: (name: string) => unknown,
  module: ModuleObject,
  filename: string,
  dirname: string,
) => void;

export interface SkriptFolders {
  /** Holds the stock libraries. */
  runtime: string;
  /** Holds those of the skript's lock; the stock is in the folder above it, where Node looks next. Null without a lock. */
  libraries: string | null;
  /** The run's own. */
  folder: string;
}

/** The user's bundle, compiled and ready to be run once. */
export class SkriptModule {
  /** Under this name the bundle is known to V8. It stands beside its libraries, so that `import()` finds them as `require()` does. */
  readonly filename: string;
  /** Folders of libraries, each ending with a separator. */
  readonly libraries: string[];
  readonly #folder: string;
  #loader: Loader | undefined;

  constructor({ runtime, libraries, folder }: SkriptFolders) {
    this.#folder = folder;
    this.filename = join(libraries ?? runtime, 'skript.js');
    const holders = libraries === null ? [runtime] : [libraries, dirname(libraries)];
    this.libraries = holders.map(holder => join(holder, 'node_modules') + sep);
  }

  /** Runs the bundle's top level and gives what main.js exports. */
  load(code: string): unknown {
    this.#loader = compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname'], {
      filename: this.filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }) as Loader;
    const module: ModuleObject = { exports: {} };
    this.#loader.call(
      module.exports,
      module.exports,
      this.#require(),
      module,
      join(this.#folder, 'main.js'),
      this.#folder,
    );
    return module.exports;
  }

  /** A function of the bundle's script, to tell the user's functions from those of libraries. */
  get loader(): unknown {
    return this.#loader;
  }

  #require(): (name: string) => unknown {
    const fromHere = createRequire(this.filename);
    return name => {
      if (isBuiltin(name)) return fromHere(name);
      // Also when the skript's lock has them: those of the lock would look for a Chromium of their own.
      const puppeteer = PUPPETEER.includes(name) && puppeteerOfRun();
      if (puppeteer) return puppeteer;
      let file: string | undefined;
      try {
        file = fromHere.resolve(name);
      } catch {
        // Not found is told below, in words that help; a library that is found but fails keeps its own error.
      }
      if (!this.libraries.some(folder => file?.startsWith(folder))) throw new LibraryMissing(name);
      return fromHere(file as string);
    };
  }
}

class LibraryMissing extends Error {
  readonly code = 'MODULE_NOT_FOUND';

  constructor(name: string) {
    super(
      `Cannot find the library '${name}'. A skript can require Node's own modules, ${STOCK_LIBRARIES.join(', ')}, and what its file package.json names in dependencies.`,
    );
    this.name = 'Error';
  }
}

/** The function among what main.js exports: `module.exports = fn`, `exports.default = fn` or `export default fn`. */
export function exportedFunction(exports: unknown): ((input: unknown, inputSecret: unknown) => unknown) | null {
  if (typeof exports === 'function') return exports as never;
  const { default: inner } = (exports ?? {}) as { default?: unknown };
  if (typeof inner === 'function') return inner as never;
  // A CommonJS file that an ES module wrapped once more.
  const { default: innermost } = (inner ?? {}) as { default?: unknown };
  return typeof innermost === 'function' ? (innermost as never) : null;
}
