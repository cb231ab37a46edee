import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installScriptWarning } from '@trawl/contracts';
import {
  InvalidLockError,
  isTransient,
  type Lock,
  NpmError,
  type NpmFailure,
  NpmTurns,
  packagesOf,
  packagesWithInstallScript,
  parseLock,
  type QueuePlace,
  SLOW_MS,
  type Turn,
  type Written,
} from '@trawl/libraries';
import type { Logger } from 'pino';
import type { PlatformFiles } from '../platform/platform-files.js';
import { InstalledLibraries } from './installed-libraries.js';
import { type Installer, InstallerLost } from './installer.js';

/** Time limit of one installation. It does not count towards the run's own limit. */
const INSTALL_MS = 300_000;
/** How long an installation is retried while the registry fails. A restart of the registry takes less time. */
const RETRY_FOR_MS = 60_000;
const RETRY_MS = 2_000;
const MAX_INSTALLATIONS = 2;
/** How many installations that wait for a slow registry continue beside these. */
const MAX_SLOW = 6;
const MB = 1024 * 1024;

/** Error: the libraries of a run cannot be installed. The message says why, and what the user can do. */
export class LibrariesFailed extends Error {}

export interface LibrariesOptions {
  /** The worker's own folder. */
  folder: string;
  /** Maximum disk space for all libraries, in megabytes. The libraries of one lock, and those of an account, may use half of it. */
  megabytes: number;
  /** Maximum number of files and folders of all libraries. The same halves apply. */
  files: number;
  registry: string | undefined;
  platform: PlatformFiles;
  installer: Installer;
  log: Logger;
}

/** A run that waits for an installation. */
export interface WaitingRun {
  /** Account that owns the run. */
  account: string;
  echo(type: 'log' | 'warn', text: string): void;
  /** Is called when the installation has another place in the queue; null when it begins. */
  queued(place: QueuePlace | null): void;
  signal: AbortSignal;
}

interface Installation extends Turn {
  lock: Promise<Lock>;
  done: Promise<void>;
  waiting: Set<WaitingRun>;
  place: QueuePlace | null;
  abort: AbortController;
}

interface InstallTask {
  hash: string;
  lock: Lock;
  account: string;
  signal: AbortSignal;
  /** Frees the place of the installation for other accounts. */
  onSlow(): void;
}

/** Returns the path of the folder that contains the installed locks. It is inside the worker's folder. */
export const librariesFolder = (folder: string): string => join(folder, 'libraries');

/** Installs the npm libraries of skripts, once for each lock, and shares them between runs. */
export class Libraries {
  readonly #options: LibrariesOptions;
  readonly #installed: InstalledLibraries;
  readonly #installations = new Map<string, Installation>();
  /** Tests set other limits. */
  readonly limits = { atOnce: MAX_INSTALLATIONS, maxSlow: MAX_SLOW, slowMs: SLOW_MS, retryForMs: RETRY_FOR_MS };
  readonly #turns = new NpmTurns(this.limits);

  private constructor(options: LibrariesOptions, installed: InstalledLibraries) {
    this.#options = options;
    this.#installed = installed;
  }

  static async open(options: LibrariesOptions): Promise<Libraries> {
    const { folder, installer, megabytes, files } = options;
    const folders = {
      installed: librariesFolder(folder),
      working: join(folder, 'libraries-underway'),
      removed: join(folder, 'libraries-removed'),
    };
    const limits = { bytes: megabytes * MB, entries: files };
    const installed = await InstalledLibraries.open(folders, limits, gone => installer.remove(gone));
    return new Libraries(options, installed);
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
    while (!this.has(hash)) {
      await this.#wait(this.#installations.get(hash) ?? this.#begin(hash, waiting.account), waiting);
    }
    return this.#installed.use(hash, waiting.account);
  }

  async #wait(installation: Installation, run: WaitingRun): Promise<void> {
    const { signal, echo, account } = run;
    installation.waiting.add(run);
    // If another account has begun it, it need not wait for all installations of that account.
    this.#turns.add(account, installation);
    if (installation.place) run.queued(installation.place);
    let leave = (): void => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave);
    });
    try {
      signal.throwIfAborted();
      const lock = await Promise.race([installation.lock, left]);
      const begun = performance.now();
      const names = Object.keys(lock.packages[''].dependencies);
      const packages = packagesOf(lock).length;
      echo(
        'log',
        `Installing ${names.length} ${names.length === 1 ? 'library' : 'libraries'} (${names.join(', ')}; ${packages} ${packages === 1 ? 'package' : 'packages'} with dependencies) …`,
      );
      for (const name of packagesWithInstallScript(lock)) {
        const warning = installScriptWarning(name);
        if (warning !== null) echo('warn', warning);
      }
      await Promise.race([installation.done, left]);
      echo('log', `… installed in ${((performance.now() - begun) / 1_000).toFixed(1)} s.`);
    } finally {
      signal.removeEventListener('abort', leave);
      installation.waiting.delete(run);
      if (installation.waiting.size === 0) installation.abort.abort(new Error('no run waits for these libraries'));
    }
  }

  #begin(hash: string, account: string): Installation {
    const abort = new AbortController();
    const lock = this.#lock(hash, abort.signal);
    let begin = (): void => {};
    const turn = new Promise<void>(resolve => {
      begin = resolve;
    });
    const waiting = new Set<WaitingRun>();
    const signal = abort.signal;
    const onSlow = () => this.#turns.slow(installation);
    const done = Promise.all([lock, turn]).then(([read]) =>
      this.#install({ hash, lock: read, account, signal, onSlow }),
    );
    const installation: Installation = {
      lock,
      done,
      waiting,
      place: null,
      abort,
      begin,
      moved: place => {
        installation.place = place;
        for (const run of waiting) run.queued(place);
      },
      endSlow: () => abort.abort(new LibrariesFailed(TOO_SLOW)),
    };
    this.#installations.set(hash, installation);
    // Forget an aborted installation at once, so that the next run that needs it starts a new one.
    const forget = () => {
      if (this.#installations.get(hash) === installation) this.#installations.delete(hash);
    };
    // An aborted installation that has begun keeps its turn until its process has ended and its folder is removed.
    let isInstalling = false;
    void turn.then(() => {
      isInstalling = true;
    });
    abort.signal.addEventListener('abort', () => {
      forget();
      if (!isInstalling) this.#turns.remove(installation);
    });
    const end = () => {
      forget();
      this.#turns.remove(installation);
    };
    // These handlers also prevent unhandled rejections.
    lock.catch(end);
    done.then(end, end);
    return installation;
  }

  async #lock(hash: string, signal: AbortSignal): Promise<Lock> {
    try {
      return parseLock(await this.#options.platform.text('locks', hash, signal));
    } catch (error) {
      if (error instanceof InvalidLockError) throw new LibrariesFailed(error.message);
      throw error;
    }
  }

  async #install(task: InstallTask): Promise<void> {
    const begun = performance.now();
    const { hash, signal, onSlow } = task;
    signal.throwIfAborted();
    const deadline = begun + this.limits.retryForMs;
    const slowAt = begun + this.limits.slowMs;
    // An aborted installation of the same lock may have finished while this one waited.
    while (!this.has(hash) && !(await this.#attempt({ ...task, deadline, slowAt }))) {
      if (performance.now() > slowAt) onSlow();
      await delay(RETRY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    this.#options.log.info({ lock: hash, ms: Math.round(performance.now() - begun) }, 'libraries installed');
  }

  /** Resolves with false when the registry failed temporarily and the installation should be retried. */
  async #attempt(attempt: InstallTask & { deadline: number; slowAt: number }): Promise<boolean> {
    const { hash, lock, account, signal, onSlow, deadline, slowAt } = attempt;
    const { registry, installer, log } = this.#options;
    const limits = this.#limits;
    const folder = await this.#installed.begin();
    try {
      const slowMs = Math.max(0, slowAt - performance.now());
      const request = { lock, folder, registry, limits, timeLimitMs: INSTALL_MS, slowMs };
      const written = await installer.install(request, { signal, onSlow });
      const full = await this.#installed.keep(hash, folder, written, account);
      if (full) throw new LibrariesFailed(this.#fullText(full));
      return true;
    } catch (error) {
      await this.#installed.drop(folder);
      if (error instanceof InstallerLost && performance.now() < deadline) return false;
      if (error instanceof InstallerLost) throw new LibrariesFailed(LOST);
      if (!(error instanceof NpmError)) throw error;
      const { failure } = error;
      log.warn({ lock: hash, code: failure.code, library: failure.library }, 'failed to install libraries');
      if (isTransient(failure) && performance.now() < deadline) return false;
      throw new LibrariesFailed(`Failed to install the libraries that package.json names. ${this.#textOf(failure)}`);
    }
  }

  /** What the libraries of one skript may use. */
  get #limits(): Written {
    const { megabytes, files } = this.#options;
    return { bytes: Math.floor((megabytes * MB) / 2), entries: Math.floor(files / 2) };
  }

  #textOf({ code, library, text }: NpmFailure): string {
    const named = library ?? 'Their archives';
    const { bytes, entries } = this.#limits;
    const setting =
      code === 'size_limit'
        ? `${Math.floor(bytes / MB)} MB on disk; those of one skript may use that much, half of the worker’s setting TRAWL_LIBRARIES_MB`
        : `${entries} files and folders; those of one skript may have that many, half of the worker’s setting TRAWL_LIBRARIES_FILES`;
    if (code !== 'size_limit' && code !== 'file_limit') return text;
    return `They need more than ${setting}. ${named} needs the most. Name fewer or smaller libraries.`;
  }

  #fullText(whose: 'account' | 'others'): string {
    const { megabytes, files } = this.#options;
    const names = 'TRAWL_LIBRARIES_MB and TRAWL_LIBRARIES_FILES';
    return whose === 'account'
      ? `Live runs of your account use all of the ${Math.floor(megabytes / 2)} MB and ${Math.floor(files / 2)} files that its libraries may have on this worker, half of ${names}. Start the run again when some of them have ended.`
      : `Live runs use all of the ${megabytes} MB and ${files} files for libraries on this worker (${names}). Start the run again later, or ask the owner of the worker to raise the settings.`;
  }
}

const TOO_SLOW =
  'Failed to install the libraries that package.json names: the npm registry answers too slowly, and the worker ended this installation for newer ones. Start the run again in a few minutes.';
const LOST =
  'The process that installs libraries on this worker ended several times. These libraries may need more memory than it may use.';
