import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The current run, as `@trawl/crawlee` needs it. */
interface CurrentRun {
  id: string;
  firstId: string;
  skriptId: string;
  isLocal: boolean;
  input: string | null;
  outputBytes: number;
}

/** The library `@trawl/crawlee` of the runtime. */
interface TrawlCrawlee {
  adaptCrawlee(core: object, run: () => CurrentRun): void;
  adaptApify(apify: object): void;
  finishCrawlee(runId: string): Promise<unknown> | null;
  statusOf(runId: string): string | undefined;
}

/** Matches the modules `@crawlee/core` and `apify`, also by the paths of their main files, which `import()` loads. */
const CORE = /(?:^|[\\/])@crawlee[\\/]core(?:[\\/]index\.js)?$/;
const APIFY = /^apify$|[\\/]node_modules[\\/]apify[\\/]dist[\\/]index\.js$/;

/** Node's internal function, which its public types leave out. */
const loader = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };

/** What the runner does for skripts with Crawlee. */
export class CrawleeOfRun {
  readonly #adapted = new WeakSet<object>();
  #library: TrawlCrawlee | undefined;

  /**
   * Waits until the skript loads Crawlee, and then gives it the storage of the run.
   *
   * @param libraries folder of the skript's libraries. The built-in ones are in its parent folder.
   * @param exit called instead of `process.exit`, by which Actors and programs of Crawlee end
   */
  constructor(libraries: string, run: () => CurrentRun, exit: (code: number) => void) {
    const load = loader._load;
    const library = () => {
      this.#library ??= createRequire(join(dirname(libraries), 'skript.js'))('@trawl/crawlee') as TrawlCrawlee;
      return this.#library;
    };
    loader._load = (name, ...rest) => {
      const loaded = load(name, ...rest);
      const isCore = CORE.test(name);
      if (!isCore && !APIFY.test(name)) return loaded;
      if (typeof loaded !== 'object' || loaded === null || this.#adapted.has(loaded)) return loaded;
      this.#adapted.add(loaded);
      if (!isCore) {
        library().adaptApify(loaded);
      } else {
        library().adaptCrawlee(loaded, run);
        process.exit = (code => exit(Number(code ?? process.exitCode ?? 0))) as typeof process.exit;
      }
      return loaded;
    };
  }

  /** Whether the skript has loaded Crawlee. Then it may be a program, whose main.js exports no function. */
  get isLoaded(): boolean {
    return this.#library !== undefined;
  }

  /**
   * Deletes the queue of a run that has ended well. Returns the value that the run has set as its `OUTPUT`; null if the run
   * has not used Crawlee.
   */
  finish(runId: string): Promise<unknown> | null {
    return this.#library?.finishCrawlee(runId) ?? null;
  }

  /** Returns the text of the error of a run that ended itself with an exit code. */
  failure(runId: string, code: number): string {
    const status = this.#library?.statusOf(runId);
    return `The skript ended itself with the exit code ${code}${status ? `: ${status}` : '.'}`;
  }
}
