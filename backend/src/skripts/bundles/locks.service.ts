import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DEFAULT_RUN_NODE, RUN_NODES, type RunNode } from '@trawl/contracts';
import {
  hashOfLock,
  InvalidLockError,
  isTransient,
  LOCK_BYTES,
  type Lock,
  lockText,
  NpmError,
  npmRegistry,
  packagesWithInstallScript,
  parseLock,
  resolveLibraries,
} from '@trawl/libraries';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../common/config.js';
import { ApiError } from '../../common/errors.js';
import { findLatestLock, findLock } from '../bundles.repository.js';
import { BuildQueue, shuttingDown } from './build-queue.js';

/** Time limit of one resolution. */
const TIME_LIMIT_MS = 300_000;
const CONCURRENCY = 2;
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

/** The resolution takes longer than the caller waits, and continues in the background. */
export class StillResolving extends ApiError {
  constructor() {
    super(
      'service_unavailable',
      'The libraries in package.json are still being resolved: the npm registry is slow, or other builds come first. Trawl continues in the background. Build the skript again in a minute.',
    );
  }
}

/** The npm registry failed, or did not answer in time. */
export class RegistryFailed extends ApiError {}

/** Finds the exact versions of npm libraries. Each result is a lock, stored by its hash. */
@Injectable()
export class LocksService implements OnApplicationShutdown {
  readonly #queue = new BuildQueue(CONCURRENCY);
  readonly #closing = new AbortController();
  /** Queued and running resolutions, by their arguments. Identical requests share one resolution. */
  readonly #running = new Map<string, Promise<LibraryLock | LockRefusal>>();
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

  /** Returns the lock's text, or null for an unknown hash. */
  text(hash: string): Promise<string | null> {
    return findLock(this.dataSource, hash);
  }

  /**
   * Finds the exact versions of a skript's libraries. Keeps each version of the previous lock that package.json still
   * allows, so a new release of a library changes nothing by itself. For another Node it chooses all versions anew,
   * because npm prefers those whose `engines` allow it.
   *
   * @param waitMs how long to wait for the resolution; null: until it ends. Afterwards it goes on in the background, and
   *   the next call gets its result.
   * @throws {RegistryFailed}
   * @throws {StillResolving}
   */
  async ofSkript(
    ownerId: string,
    skriptId: string,
    libraries: Record<string, string>,
    node: RunNode,
    waitMs: number | null,
  ): Promise<LibraryLock | LockRefusal> {
    const text = await findLatestLock(this.dataSource, skriptId);
    const latest = text === null ? null : parseLock(text);
    const previous = latest && isFor(node, latest) ? latest : null;
    if (previous && isDeepStrictEqual(previous.packages[''].dependencies, libraries)) return lockOf(previous);
    const key = JSON.stringify([libraries, text, node]);
    const finished = this.#finished.get(key);
    this.#finished.delete(key);
    if (finished) return finished;
    const resolving = this.#running.get(key) ?? this.#begin(key, ownerId, libraries, previous, node);
    if (waitMs === null) return resolving;
    const late = new AbortController();
    try {
      const result = await Promise.race([resolving, delay(waitMs, null, { signal: late.signal })]);
      if (result) return result;
    } finally {
      late.abort();
    }
    // Nobody may be waiting any more when it ends.
    void resolving.then(
      result => this.#finished.set(key, result),
      () => {}, // The next call tries again.
    );
    throw new StillResolving();
  }

  #begin(
    key: string,
    ownerId: string,
    libraries: Record<string, string>,
    previous: Lock | null,
    node: RunNode,
  ): Promise<LibraryLock | LockRefusal> {
    const resolving = this.#queue
      .run(ownerId, () => this.#resolve(libraries, previous, node))
      .finally(() => this.#running.delete(key));
    this.#running.set(key, resolving);
    return resolving;
  }

  onApplicationShutdown(): void {
    this.#queue.close();
    this.#closing.abort(shuttingDown());
  }

  async #resolve(
    libraries: Record<string, string>,
    previous: Lock | null,
    node: RunNode,
  ): Promise<LibraryLock | LockRefusal> {
    this.#registry ??= npmRegistry(this.config.npmRegistry);
    const registry = await this.#registry;
    const folder = await mkdtemp(join(tmpdir(), 'trawl-lock-'));
    const cache = join(folder, 'cache');
    try {
      await mkdir(cache);
      const timing = { timeLimitMs: TIME_LIMIT_MS, signal: this.#closing.signal };
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
