import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { compileFunction, constants } from 'node:vm';
import { BUILT_IN_LIBRARIES, LIBRARIES_OF_WORKER } from '@trawl/contracts';
import { puppeteerOfRun } from './browser/puppeteer-of-run.js';

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
  /** Folder of the built-in libraries. */
  runtime: string;
  /**
   * Folder of the libraries in the skript's lock; null without a lock. The built-in libraries are in the parent folder
   * of that folder, where Node looks next.
   */
  libraries: string | null;
  /** The run's own folder. */
  folder: string;
}

/** The user's bundle as a module. */
export class SkriptModule {
  /**
   * The file name under which V8 knows the bundle. It is in the folder of the libraries, so that `import()` finds them,
   * as `require()` does.
   */
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

  /** Executes the bundle's top-level code and returns the exports of main.js. */
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

  /**
   * The function that contains the whole bundle. All other functions in the same script are the user's own functions
   * and not those of a library.
   */
  get loader(): unknown {
    return this.#loader;
  }

  #require(): (name: string) => unknown {
    const fromHere = createRequire(this.filename);
    const fromWorker = createRequire(join(this.libraries.at(-1) as string, '..', 'skript.js'));
    return name => {
      if (isBuiltin(name)) return fromHere(name);
      // Use the runner's Puppeteer even if the skript's lock contains one, because that one would look for its own
      // Chromium.
      const puppeteer = PUPPETEER.includes(name) && puppeteerOfRun();
      if (puppeteer) return puppeteer;
      let file: string | undefined;
      try {
        // A library in the lock may have brought a package with the name of one of ours.
        file = (isLibraryOfWorker(name) ? fromWorker : fromHere).resolve(name);
      } catch {
        // If the library was not found, LibraryNotFoundError is thrown below, which says what to do. A library that is
        // found but fails to load throws its own error.
      }
      if (!this.libraries.some(folder => file?.startsWith(folder))) throw new LibraryNotFoundError(name);
      return fromHere(file as string);
    };
  }
}

/** Returns whether only the worker can provide this module: one of its libraries, or a file of it. */
const isLibraryOfWorker = (name: string): boolean =>
  LIBRARIES_OF_WORKER.some(library => name === library || name.startsWith(`${library}/`));

class LibraryNotFoundError extends Error {
  readonly code = 'MODULE_NOT_FOUND';

  constructor(name: string) {
    super(
      `Cannot find the library '${name}'. A skript can require Node's own modules, ${BUILT_IN_LIBRARIES.join(', ')}, and the dependencies in its package.json.`,
    );
    this.name = 'Error';
  }
}

/**
 * Returns the function that main.js exports with `module.exports = fn`, `exports.default = fn` or `export default fn`;
 * null if there is none.
 */
export function exportedFunction(exports: unknown): ((input: unknown, inputSecret: unknown) => unknown) | null {
  if (typeof exports === 'function') return exports as never;
  const { default: inner } = (exports ?? {}) as { default?: unknown };
  if (typeof inner === 'function') return inner as never;
  // The bundler puts the exports of a CommonJS file into another `default`.
  const { default: innermost } = (inner ?? {}) as { default?: unknown };
  return typeof innermost === 'function' ? (innermost as never) : null;
}
