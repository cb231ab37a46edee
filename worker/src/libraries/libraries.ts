import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  InvalidLockError,
  installLibraries,
  isTransient,
  type Lock,
  NpmError,
  npmRegistry,
  packagesOf,
  packagesWithInstallScript,
  parseLock,
} from '@trawl/libraries';
import type { Logger } from 'pino';
import type { PlatformFiles } from '../platform/platform-files.js';
import { removeFolder } from '../process/remove-folder.js';
import { bytesIn, InstalledLibraries } from './installed-libraries.js';

/** Time limit of one installation. It does not count towards the run's own limit. */
const INSTALL_MS = 300_000;
/** How long an installation is retried while the registry fails. A restart of the registry takes less time. */
const RETRY_FOR_MS = 60_000;
const RETRY_MS = 2_000;
const MAX_INSTALLATIONS = 2;
/** How often the size of an installation is checked while it is in progress. */
const SIZE_CHECK_MS = 500;
const MB = 1024 * 1024;

/** Error: the libraries of a run cannot be installed. The message says why, and what the user can do. */
export class LibrariesFailed extends Error {}

export interface LibrariesOptions {
  /** The worker's own folder. */
  folder: string;
  /** Maximum disk space for all libraries, in megabytes. The libraries of one lock may use half of it. */
  megabytes: number;
  registry: string | undefined;
  files: PlatformFiles;
  log: Logger;
}

/** A run that waits for an installation. */
export interface WaitingRun {
  echo(type: 'log' | 'warn', text: string): void;
  signal: AbortSignal;
}

interface Installation {
  lock: Promise<Lock>;
  done: Promise<void>;
  waiting: number;
  abort: AbortController;
}

/** Returns the path of the folder that contains the installed locks. It is inside the worker's folder. */
export const librariesFolder = (folder: string): string => join(folder, 'libraries');

/** Installs the npm libraries of skripts, once for each lock, and shares them between runs. */
export class Libraries {
  readonly #options: LibrariesOptions;
  readonly #installed: InstalledLibraries;
  readonly #installations = new Map<string, Installation>();
  readonly #queue: (() => void)[] = [];
  #free = MAX_INSTALLATIONS;
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
   * Installs the libraries of a lock if they are not installed yet. They are not removed until the returned function is
   * called.
   *
   * @throws LibrariesFailed if they cannot be installed; FileUnavailable if the platform does not provide the lock; the
   *   signal's reason if the signal is aborted
   */
  async take(hash: string, waiting: WaitingRun): Promise<() => void> {
    // Check again after the installation: the libraries may have been removed to make room for another lock before the
    // run could use them.
    while (!this.has(hash)) await this.#wait(this.#installations.get(hash) ?? this.#begin(hash), waiting);
    return this.#installed.use(hash);
  }

  async #wait(installation: Installation, { echo, signal }: WaitingRun): Promise<void> {
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
        `Installing ${names.length} ${names.length === 1 ? 'library' : 'libraries'} (${names.join(', ')}; ${packages} ${packages === 1 ? 'package' : 'packages'} with dependencies) …`,
      );
      for (const name of packagesWithInstallScript(lock)) {
        echo(
          'warn',
          `${name} has an install script, which Trawl does not run. The library may fail unless it ships prebuilt files.`,
        );
      }
      await Promise.race([installation.done, left]);
      echo('log', `… installed in ${((performance.now() - begun) / 1_000).toFixed(1)} s.`);
    } finally {
      signal.removeEventListener('abort', leave);
      installation.waiting -= 1;
      if (installation.waiting === 0) installation.abort.abort(new Error('no run waits for these libraries'));
    }
  }

  #begin(hash: string): Installation {
    const abort = new AbortController();
    const lock = this.#lock(hash, abort.signal);
    const done = lock.then(read => this.#install(hash, read, abort.signal));
    const installation = { lock, done, waiting: 0, abort };
    this.#installations.set(hash, installation);
    const forget = () => {
      if (this.#installations.get(hash) === installation) this.#installations.delete(hash);
    };
    // Forget an aborted or finished installation, so that the next run that needs it starts a new one. These handlers
    // also prevent unhandled rejections.
    abort.signal.addEventListener('abort', forget);
    lock.catch(forget);
    done.then(forget, forget);
    return installation;
  }

  async #lock(hash: string, signal: AbortSignal): Promise<Lock> {
    try {
      return parseLock(await this.#options.files.text('locks', hash, signal));
    } catch (error) {
      if (error instanceof InvalidLockError) throw new LibrariesFailed(error.message);
      throw error;
    }
  }

  async #install(hash: string, lock: Lock, signal: AbortSignal): Promise<void> {
    if (this.#free === 0) await new Promise<void>(resolve => this.#queue.push(resolve));
    else this.#free -= 1;
    const begun = performance.now();
    try {
      signal.throwIfAborted();
      const deadline = performance.now() + RETRY_FOR_MS;
      while (!(await this.#attempt(hash, lock, signal, deadline))) await delay(RETRY_MS, undefined, { signal });
      this.#options.log.info({ lock: hash, ms: Math.round(performance.now() - begun) }, 'libraries installed');
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /** Resolves with false when the registry failed temporarily and the installation should be retried. */
  async #attempt(hash: string, lock: Lock, signal: AbortSignal, deadline: number): Promise<boolean> {
    const { megabytes, log } = this.#options;
    const maxBytes = Math.floor((megabytes * MB) / 2);
    const folder = await this.#installed.begin();
    const tooLarge = new AbortController();
    const sizeCheck = setInterval(async () => {
      if ((await bytesIn(folder)) > 2 * maxBytes) tooLarge.abort();
    }, SIZE_CHECK_MS);
    try {
      this.#registry ??= npmRegistry(this.#options.registry);
      const cache = join(folder, 'cache');
      await mkdir(cache);
      const options = { folder, cache, registry: await this.#registry, timeLimitMs: INSTALL_MS };
      await installLibraries(lock, { ...options, signal: AbortSignal.any([signal, tooLarge.signal]) });
      await removeFolder(cache);
      const bytes = await bytesIn(folder);
      if (bytes > maxBytes) throw tooMuch(bytes, megabytes);
      if (!(await this.#installed.shrink(megabytes * MB - bytes))) throw allInUse(megabytes);
      await this.#installed.keep(hash, folder, bytes);
      return true;
    } catch (error) {
      await this.#installed.drop(folder);
      if (tooLarge.signal.aborted) throw tooMuch(null, megabytes);
      if (!(error instanceof NpmError)) throw error;
      log.warn({ lock: hash, code: error.failure.code, library: error.failure.library }, 'failed to install libraries');
      if (isTransient(error.failure) && performance.now() < deadline) return false;
      throw new LibrariesFailed(`Failed to install the libraries that package.json names. ${error.message}`);
    } finally {
      clearInterval(sizeCheck);
    }
  }
}

const tooMuch = (bytes: number | null, megabytes: number): LibrariesFailed =>
  new LibrariesFailed(
    `The libraries that package.json names need ${bytes === null ? `more than ${megabytes}` : Math.ceil(bytes / MB)} MB on disk; those of one skript may use ${Math.floor(megabytes / 2)} MB, half of the worker’s setting TRAWL_LIBRARIES_MB. Name fewer or smaller libraries.`,
  );

const allInUse = (megabytes: number): LibrariesFailed =>
  new LibrariesFailed(
    `Live runs use all of the ${megabytes} MB for libraries on this worker (TRAWL_LIBRARIES_MB). Start the run again later, or ask the owner of the worker to raise the setting.`,
  );
