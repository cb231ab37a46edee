import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  installLibraries,
  type Lock,
  LockRefused,
  mayPass,
  NpmFailed,
  npmRegistry,
  packagesOf,
  parseLock,
  withInstallScript,
} from '@trawl/libraries';
import type { Logger } from 'pino';
import type { PlatformFiles } from '../platform-files.js';
import { removeFolder } from '../remove-folder.js';
import { bytesIn, InstalledLibraries } from './installed-libraries.js';

/** For one lock; it is not the run's own time, which begins when its process gets the bundle. */
const INSTALL_MS = 300_000;
/** A registry that is restarted is waited for. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 2_000;
const AT_ONCE = 2;
/** Between two looks at how large an installation is that goes on. */
const LOOK_MS = 500;
const MB = 1024 * 1024;

/** The libraries of a run cannot be installed; the message says why, and what to do. */
export class LibrariesFailed extends Error {}

export interface LibrariesOptions {
  /** The worker's own. */
  folder: string;
  /** What all libraries may take on the disk. One lock may take half of it. */
  megabytes: number;
  registry: string | undefined;
  files: PlatformFiles;
  log: Logger;
}

/** Who waits for an installation, and hears of it. */
export interface Waiting {
  echo(type: 'log' | 'warn', text: string): void;
  signal: AbortSignal;
}

interface Installation {
  lock: Promise<Lock>;
  done: Promise<void>;
  waiting: number;
  abort: AbortController;
}

/** Where the locks are, below the worker's folder. */
export const librariesFolder = (folder: string): string => join(folder, 'libraries');

/** npm libraries of skripts, installed once for each lock and shared by the runs that have it. */
export class Libraries {
  readonly #options: LibrariesOptions;
  readonly #installed: InstalledLibraries;
  readonly #underWay = new Map<string, Installation>();
  readonly #turns: (() => void)[] = [];
  #free = AT_ONCE;
  #registry: Promise<string | null> | undefined;

  private constructor(options: LibrariesOptions, installed: InstalledLibraries) {
    this.#options = options;
    this.#installed = installed;
  }

  static async open(options: LibrariesOptions): Promise<Libraries> {
    const { folder } = options;
    return new Libraries(
      options,
      await InstalledLibraries.open(librariesFolder(folder), join(folder, 'libraries-underway')),
    );
  }

  has(hash: string): boolean {
    return this.#installed.has(hash);
  }

  /**
   * Sees to it that a lock is installed, and stays so until what it gives is called.
   *
   * @throws LibrariesFailed; FileUnavailable for the lock; the signal's reason.
   */
  async take(hash: string, waiting: Waiting): Promise<() => void> {
    // Another lock may take the room of this one before the run has it.
    while (!this.has(hash)) await this.#wait(this.#underWay.get(hash) ?? this.#begin(hash), waiting);
    return this.#installed.use(hash);
  }

  async #wait(installation: Installation, { echo, signal }: Waiting): Promise<void> {
    const begun = performance.now();
    installation.waiting += 1;
    let leave = (): void => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave);
    });
    try {
      signal.throwIfAborted();
      const lock = await Promise.race([installation.lock, left]);
      const names = Object.keys(lock.packages[''].dependencies);
      const packages = packagesOf(lock).length;
      echo(
        'log',
        `Installing ${names.length} ${names.length === 1 ? 'library' : 'libraries'} (${names.join(', ')}; packages with what they need: ${packages}) …`,
      );
      for (const name of withInstallScript(lock)) {
        echo(
          'warn',
          `${name} has an install script, which is not run: it may not work, unless it brings what it needs ready-made.`,
        );
      }
      await Promise.race([installation.done, left]);
      echo('log', `… installed in ${((performance.now() - begun) / 1_000).toFixed(1)} s.`);
    } finally {
      signal.removeEventListener('abort', leave);
      installation.waiting -= 1;
      if (installation.waiting === 0) installation.abort.abort(new Error('no run waits for these libraries any more'));
    }
  }

  #begin(hash: string): Installation {
    const abort = new AbortController();
    const lock = this.#lock(hash, abort.signal);
    const done = lock.then(read => this.#install(hash, read, abort.signal));
    const installation = { lock, done, waiting: 0, abort };
    this.#underWay.set(hash, installation);
    const over = () => {
      if (this.#underWay.get(hash) === installation) this.#underWay.delete(hash);
    };
    // Whoever comes now begins anew; and nobody may be left who hears how it ended.
    abort.signal.addEventListener('abort', over);
    lock.catch(over);
    done.then(over, over);
    return installation;
  }

  async #lock(hash: string, signal: AbortSignal): Promise<Lock> {
    try {
      return parseLock(await this.#options.files.text('locks', hash, signal));
    } catch (error) {
      if (error instanceof LockRefused) throw new LibrariesFailed(error.message);
      throw error;
    }
  }

  async #install(hash: string, lock: Lock, signal: AbortSignal): Promise<void> {
    if (this.#free === 0) await new Promise<void>(resolve => this.#turns.push(resolve));
    else this.#free -= 1;
    const begun = performance.now();
    try {
      signal.throwIfAborted();
      const giveUpAt = performance.now() + PATIENCE_MS;
      while (!(await this.#try(hash, lock, signal, giveUpAt))) await pause(RETRY_MS, signal);
      this.#options.log.info({ lock: hash, ms: Math.round(performance.now() - begun) }, 'libraries installed');
    } finally {
      const next = this.#turns.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /** False when the registry has a bad moment, and is to be asked again. */
  async #try(hash: string, lock: Lock, signal: AbortSignal, giveUpAt: number): Promise<boolean> {
    const { megabytes, log } = this.#options;
    const mayTake = Math.floor((megabytes * MB) / 2);
    const folder = await this.#installed.begin();
    const tooLarge = new AbortController();
    const look = setInterval(async () => {
      if ((await bytesIn(folder)) > 2 * mayTake) tooLarge.abort();
    }, LOOK_MS);
    try {
      this.#registry ??= npmRegistry(this.#options.registry);
      const cache = join(folder, 'cache');
      await mkdir(cache);
      const options = { folder, cache, registry: await this.#registry, timeLimitMs: INSTALL_MS };
      await installLibraries(lock, { ...options, signal: AbortSignal.any([signal, tooLarge.signal]) });
      await removeFolder(cache);
      const bytes = await bytesIn(folder);
      if (bytes > mayTake) throw tooMuch(bytes, megabytes);
      if (!(await this.#installed.shrink(megabytes * MB - bytes))) throw allInUse(megabytes);
      await this.#installed.keep(hash, folder, bytes);
      return true;
    } catch (error) {
      await this.#installed.drop(folder);
      if (tooLarge.signal.aborted) throw tooMuch(null, megabytes);
      if (!(error instanceof NpmFailed)) throw error;
      log.warn({ lock: hash, code: error.failure.code, library: error.failure.library }, 'libraries not installed');
      if (mayPass(error.failure) && performance.now() < giveUpAt) return false;
      throw new LibrariesFailed(`The libraries that package.json names could not be installed. ${error.message}`);
    } finally {
      clearInterval(look);
    }
  }
}

const tooMuch = (bytes: number | null, megabytes: number): LibrariesFailed =>
  new LibrariesFailed(
    `The libraries that package.json names take ${bytes === null ? `more than ${megabytes}` : Math.ceil(bytes / MB)} MB on the disk; those of a skript may take ${Math.floor(megabytes / 2)} MB, half of the worker’s setting TRAWL_LIBRARIES_MB. Name fewer libraries, or smaller ones.`,
  );

const allInUse = (megabytes: number): LibrariesFailed =>
  new LibrariesFailed(
    `The ${megabytes} MB that libraries may take on this worker (TRAWL_LIBRARIES_MB) are all in use by runs that are under way. Start the run again when some of them are over, or have the setting raised.`,
  );

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
    signal.addEventListener('abort', done);
  });
