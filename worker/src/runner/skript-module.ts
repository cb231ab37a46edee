import Module, { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileFunction, constants } from 'node:vm';
import { BUILT_IN_LIBRARIES, LIBRARIES_OF_WORKER, TYPED_ENDINGS, UNTYPED_ENDINGS } from '@trawl/contracts';
import { puppeteerModule } from './browser/puppeteer-of-run.js';
import type { SourcePositions } from './stack/source-positions.js';

type ModuleObject = { exports: unknown };
/** The `require` of a bundle. A bundle with computed paths calls `own` for some of them, and sets `files`. */
interface SkriptRequire {
  (name: string): unknown;
  own?: SkriptRequire;
  /** For each name of a file of the skript: a function that returns its exports. */
  files?: Record<string, () => unknown>;
}
const ENDINGS = [...UNTYPED_ENDINGS, ...TYPED_ENDINGS];
/** Added to a path in this order, as the bundler does. */
const EXTENSIONS = ['', ...ENDINGS, ...ENDINGS.map(ending => `/index${ending}`)];

const toUrl = (from: string | URL): string | URL =>
  typeof from === 'string' && isAbsolute(from) ? pathToFileURL(from) : from;

/** Node's internal function, which its public types leave out. */
const resolver = Module as unknown as {
  _resolveFilename(
    name: string,
    parent: { filename: string; paths: string[] },
    isMain: boolean,
    options: { conditions: Set<string> },
  ): string;
};
const TO_IMPORT = new Set(['node', 'import', 'module-sync', 'node-addons']);

const isPath = (name: string): boolean => isAbsolute(name) || /^\.{1,2}(?:\/|$)/.test(name);

type Loader = (
  exports: unknown,
  require: SkriptRequire,
  module: ModuleObject,
  filename: string,
  dirname: string,
  /** Paths of the file that reads them: `import.meta`, and those of files in folders. */
  ownFile: { readonly filename: string; readonly dirname: string; readonly url: string },
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
  readonly #positions: SourcePositions;
  #loader: Loader | undefined;
  #mainFile = 'main.js';

  constructor({ runtime, libraries, folder }: SkriptFolders, positions: SourcePositions) {
    this.#positions = positions;
    this.#folder = folder;
    this.filename = join(libraries ?? runtime, 'skript.js');
    const holders = libraries === null ? [runtime] : [libraries, dirname(libraries)];
    this.libraries = holders.map(holder => join(holder, 'node_modules') + sep);
  }

  /** Executes the bundle's top-level code and returns the exports of main.js. */
  load(code: string): unknown {
    this.#mainFile = mainFileOf(code);
    this.#loader = compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname', '__trawl_file'], {
      filename: this.filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }) as Loader;
    const module: ModuleObject = { exports: {} };
    this.#loader.call(
      module.exports,
      module.exports,
      this.#require(),
      module,
      join(this.#folder, this.mainFile),
      this.#folder,
      this.#ownFile(),
    );
    return module.exports;
  }

  /** Name of the file in which the skript starts. */
  get mainFile(): string {
    return this.#mainFile;
  }

  /**
   * The function that contains the whole bundle. All other functions in the same script are the user's own functions
   * and not those of a library.
   */
  get loader(): unknown {
    return this.#loader;
  }

  #require(): SkriptRequire {
    const fromHere = createRequire(this.filename);
    const fromWorker = createRequire(join(this.libraries.at(-1) as string, '..', 'skript.js'));
    const require: SkriptRequire = name => {
      if (/^(?:node:)?module$/.test(name)) return this.#moduleOfNode(require);
      if (isBuiltin(name)) return fromHere(name);
      if (isPath(name)) return this.#requireFile(name, require.files ?? {});
      // Use the runner's Puppeteer even if the skript's lock contains one, because that one would look for its own
      // Chromium.
      const puppeteer = puppeteerModule(name);
      if (puppeteer) return puppeteer;
      let file: string | undefined;
      try {
        // A library in the lock may have brought a package with the name of one of ours.
        file = (isLibraryOfWorker(name) ? fromWorker : fromHere).resolve(name);
      } catch {
        // If this does not find the library either, LibraryNotFoundError is thrown below, which says what to do. A library
        // that is found but fails to load throws its own error.
        file = this.#fileToImport(name);
      }
      if (!this.libraries.some(folder => file?.startsWith(folder))) throw new LibraryNotFoundError(name);
      return fromHere(file as string);
    };
    require.own = require;
    return require;
  }

  /**
   * Node's `module`, whose `createRequire` finds the libraries of a skript too. ES modules make a `require` with it, as
   * in `createRequire(import.meta.url)`.
   */
  #moduleOfNode(require: SkriptRequire): unknown {
    const own = (from: string | URL) => {
      const real = createRequire(from);
      if (!fileURLToPath(toUrl(from)).startsWith(this.#folder + sep)) return real;
      return Object.assign((name: string) => (isPath(name) ? real(name) : require(name)), real);
    };
    return new Proxy(Module, { get: (module, key) => (key === 'createRequire' ? own : Reflect.get(module, key)) });
  }

  /**
   * Finds the file of a library that only `import` can find, because its package.json names no file for `require`. The
   * bundle requires what the skript imports. Node 20 ignores the conditions, and finds nothing.
   */
  #fileToImport(name: string): string | undefined {
    const paths = this.libraries.map(folder => folder.slice(0, -1));
    try {
      return resolver._resolveFilename(name, { filename: this.filename, paths }, false, { conditions: TO_IMPORT });
    } catch {
      return undefined;
    }
  }

  /** Loads a file by its path, relative to the file that requires it. The file may be made by the run itself. */
  #requireFile(name: string, files: Record<string, () => unknown>): unknown {
    const path = isAbsolute(name) ? name : join(this.#folder, dirname(this.#callingFile()), name);
    const own = relative(this.#folder, path).split(sep).join('/');
    const load = EXTENSIONS.map(extension => files[`${own}${extension}`]).find(found => found !== undefined);
    return load ? load() : createRequire(join(this.#folder, this.mainFile))(path);
  }

  #ownFile() {
    const path = () => join(this.#folder, this.#callingFile());
    return {
      get filename() {
        return path();
      },
      get dirname() {
        return dirname(path());
      },
      get url() {
        return pathToFileURL(path()).href;
      },
    };
  }

  /** Returns the file of the skript whose code is running. */
  #callingFile(): string {
    const { prepareStackTrace, stackTraceLimit } = Error;
    Error.stackTraceLimit = 20;
    Error.prepareStackTrace = (_, sites) => sites;
    const sites = new Error().stack as unknown as NodeJS.CallSite[];
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
    for (const site of sites) {
      if (site.getFileName() !== this.filename) continue;
      const position = this.#positions.find(site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0);
      if (position) return position.file;
    }
    return this.mainFile;
  }
}

/** Matches the comment after the code with the name of the file in which the skript starts, if that is not main.js. */
const MAIN_FILE = /\n\/\/ main (main\.[cm]?[jt]s)\n$/;

function mainFileOf(code: string): string {
  const end = code.lastIndexOf('\n//# sourceMappingURL=');
  return MAIN_FILE.exec(code.slice(Math.max(0, end - 100), end + 1))?.[1] ?? 'main.js';
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
