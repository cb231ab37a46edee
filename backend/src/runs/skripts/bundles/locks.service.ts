import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DEFAULT_RUN_NODE, RUN_NODES, type RunNode } from '@trawl/contracts';
import {
  hashOfLock,
  InvalidLockError,
  isTransient,
  LOCK_BYTES,
  type Lock,
  lockText,
  makeTemporaryFolder,
  NpmError,
  type NpmOptions,
  npmRegistry,
  packagesWithInstallScript,
  parseLock,
  type QueuePlace,
  removeLeftFolders,
  resolveLibraries,
} from '@trawl/libraries';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { ApiError } from '../../../platform/common/errors.js';
import { findLatestLock, findLock } from '../bundles.repository.js';
import { shuttingDown } from './build-queue.js';
import { RegistryFailed, ResolutionQueue } from './resolution-queue.js';

/** Time limit of one resolution. */
const TIME_LIMIT_MS = 300_000;
/** How long a result waits for the next call, and how much all of these results may need. */
const KEPT_MS = 600_000;
const KEPT_CHARS = 32 * 1024 * 1024;

/** The exact versions of a skript's libraries and of their dependencies. */
export interface LibraryLock {
  hash: string;
  text: string;
  /** Names of libraries with an install script. */
  withInstallScript: string[];
}

/**
 * Why the libraries cannot be resolved. `library`, such as `ms@^9`, is the library that causes the problem; null if no
 * single library does.
 */
export interface LockRefusal {
  refused: string;
  library: string | null;
}

/** How long a call needs a resolution. */
export interface Patience {
  /** How long the call waits; null: until the resolution ends. */
  waitMs: number | null;
  /** How long the resolution then continues for the next call. */
  continueMs: number;
  /** Aborts when the call no longer needs the result. */
  signal?: AbortSignal | undefined;
  /** Is called with how far the resolution is, and with each change of it; with null when it begins. */
  moved?: ((progress: ResolutionProgress) => void) | undefined;
}

/** A place in the queue, then how many packages npm has found so far; null before the first one. */
export type ResolutionProgress = QueuePlace | { packages: number } | null;

interface Resolution {
  result: Promise<LibraryLock | LockRefusal>;
  /** How many calls need the result. */
  users: number;
  progress: ResolutionProgress;
  /** Functions that are called when the progress changes. */
  watchers: Set<(progress: ResolutionProgress) => void>;
  abort: AbortController;
}

/** The resolution takes longer than the caller waits, and continues in the background. */
export class StillResolving extends ApiError {
  constructor(progress: ResolutionProgress) {
    super(
      'service_unavailable',
      `The libraries in package.json are still being resolved: ${reasonOf(progress)} Trawl continues in the background. Build the skript again in a minute.`,
    );
  }
}

function reasonOf(progress: ResolutionProgress): string {
  if (progress === null) return 'the npm registry is slow.';
  if ('packages' in progress) return `the npm registry is slow. Packages found so far: ${progress.packages}.`;
  return `other builds come first, and this one has place ${progress.place} of ${progress.of} in the queue.`;
}

/** Finds the exact versions of npm libraries. Each result is a lock, stored by its hash. */
@Injectable()
export class LocksService implements OnApplicationShutdown, OnModuleInit {
  readonly queue = new ResolutionQueue();
  /**
   * Queued and running resolutions, by their arguments. Identical requests of an account share one resolution. Accounts
   * share none, because a resolution waits for the others of its account.
   */
  readonly #running = new Map<string, Resolution>();
  /** Results of resolutions that took longer than a call waits, by the same arguments. The next call takes them. */
  readonly #finished = new LRUCache<string, LibraryLock | LockRefusal>({
    ttl: KEPT_MS,
    maxSize: KEPT_CHARS,
    sizeCalculation: result => 1 + ('text' in result ? result.text.length : result.refused.length),
  });
  #registry: Promise<string | null> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    // If this fails, the next start removes them.
    void removeLeftFolders().catch(() => {});
  }

  /** Returns the lock's text, or null for an unknown hash. */
  text(hash: string): Promise<string | null> {
    return findLock(this.dataSource, hash);
  }

  /**
   * Finds the exact versions of a skript's libraries. Keeps each version of the previous lock that package.json still
   * allows, so a new release of a library changes nothing by itself. For another Node it chooses all versions anew,
   * because npm prefers those whose `engines` allow it.
   *
   * Ends a resolution whose result no call needs any longer.
   *
   * @throws {RegistryFailed}
   * @throws {StillResolving}
   * @throws the reason of `patience.signal`
   */
  async ofSkript(
    ownerId: string,
    skriptId: string,
    libraries: Record<string, string>,
    node: RunNode,
    patience: Patience,
  ): Promise<LibraryLock | LockRefusal> {
    const text = await findLatestLock(this.dataSource, skriptId);
    const latest = text === null ? null : parseLock(text);
    const previous = latest && isFor(node, latest) ? latest : null;
    if (previous && isDeepStrictEqual(previous.packages[''].dependencies, libraries)) return lockOf(previous);
    const key = JSON.stringify([ownerId, libraries, text, node]);
    const finished = this.#finished.get(key);
    this.#finished.delete(key);
    if (finished) return finished;
    const resolution = this.#running.get(key) ?? this.#begin(key, ownerId, libraries, previous, node);
    return this.#use(key, resolution, patience);
  }

  async #use(key: string, resolution: Resolution, patience: Patience): Promise<LibraryLock | LockRefusal> {
    const { waitMs, continueMs, signal, moved = () => {} } = patience;
    resolution.users += 1;
    resolution.watchers.add(moved);
    moved(resolution.progress);
    const leave = () => {
      resolution.users -= 1;
      if (resolution.users === 0) this.#end(key, resolution, new Error('no call needs these libraries any longer'));
    };
    try {
      const result = await waitFor(resolution, waitMs, signal);
      leave();
      return result;
    } catch (error) {
      if (!(error instanceof StillResolving)) leave();
      else {
        setTimeout(leave, continueMs).unref();
        void resolution.result.then(
          result => this.#finished.set(key, result),
          () => {}, // The next call tries again.
        );
      }
      throw error;
    } finally {
      resolution.watchers.delete(moved);
    }
  }

  /** Has no effect on a resolution that has already ended. */
  #end(key: string, resolution: Resolution, reason: Error): void {
    // The next call must not get the result of an aborted resolution.
    if (this.#running.get(key) === resolution) this.#running.delete(key);
    resolution.abort.abort(reason);
  }

  #begin(
    key: string,
    ownerId: string,
    libraries: Record<string, string>,
    previous: Lock | null,
    node: RunNode,
  ): Resolution {
    const abort = new AbortController();
    const { signal } = abort;
    const queued: Omit<Resolution, 'result'> = { users: 0, progress: null, watchers: new Set(), abort };
    const moved = (progress: ResolutionProgress) => {
      queued.progress = progress;
      for (const watch of queued.watchers) watch(progress);
    };
    const onFound = (packages: number) => moved({ packages });
    const result = this.queue
      .run(ownerId, onSlow => this.#resolve(libraries, previous, node, { signal, onSlow, onFound }), abort, moved)
      .finally(() => {
        if (this.#running.get(key) === resolution) this.#running.delete(key);
      });
    const resolution: Resolution = Object.assign(queued, { result });
    this.#running.set(key, resolution);
    return resolution;
  }

  async onApplicationShutdown(): Promise<void> {
    const running = [...this.#running];
    for (const [key, resolution] of running) this.#end(key, resolution, shuttingDown());
    // Each removes its folder.
    await Promise.allSettled(running.map(([, { result }]) => result));
  }

  async #resolve(
    libraries: Record<string, string>,
    previous: Lock | null,
    node: RunNode,
    progress: Required<Pick<NpmOptions, 'signal' | 'onSlow' | 'onFound'>>,
  ): Promise<LibraryLock | LockRefusal> {
    this.#registry ??= npmRegistry(this.config.npmRegistry);
    const registry = await this.#registry;
    const folder = await makeTemporaryFolder();
    const cache = join(folder, 'cache');
    try {
      await mkdir(cache);
      const timing = { timeLimitMs: TIME_LIMIT_MS, slowMs: this.queue.limits.slowMs, ...progress };
      const options = { folder, cache, registry, node: RUN_NODES[node], ...timing };
      const lock = lockOf(withNode(await resolveLibraries(libraries, previous, options), node));
      if (lock.text.length <= LOCK_BYTES) return lock;
      return {
        refused: 'These libraries and their dependencies are too many for one skript. Remove some.',
        library: null,
      };
    } catch (error) {
      if (error instanceof InvalidLockError) return { refused: error.message, library: null };
      if (!(error instanceof NpmError)) throw error;
      const { failure } = error;
      if (!isTransient(failure) && failure.code !== 'time_limit')
        return { refused: failure.text, library: failure.library };
      throw new RegistryFailed(
        'service_unavailable',
        `The libraries in package.json could not be resolved. ${failure.text} Try again in a minute.`,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Waits at most so long for the result.
 *
 * @throws {StillResolving}
 */
async function waitFor(
  resolution: Resolution,
  waitMs: number | null,
  signal: AbortSignal | undefined,
): Promise<LibraryLock | LockRefusal> {
  let timer: NodeJS.Timeout | undefined;
  let leave = (): void => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal?.reason);
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) leave();
    if (waitMs !== null) timer = setTimeout(() => reject(new StillResolving(resolution.progress)), waitMs);
  });
  try {
    return await Promise.race([resolution.result, left]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
}

/** Locks of earlier releases name no Node. They were made for the default one. */
const isFor = (node: RunNode, { packages: { '': root } }: Lock): boolean =>
  (root.engines?.node ?? String(DEFAULT_RUN_NODE)) === String(node);

function withNode({ packages: { '': root, ...packages }, ...lock }: Lock, node: RunNode): Lock {
  const { dependencies } = root;
  const named = node === DEFAULT_RUN_NODE ? { dependencies } : { dependencies, engines: { node: String(node) } };
  return { ...lock, packages: { '': named, ...packages } as Lock['packages'] };
}

function lockOf(lock: Lock): LibraryLock {
  const text = lockText(lock);
  return { hash: hashOfLock(text), text, withInstallScript: packagesWithInstallScript(lock) };
}
