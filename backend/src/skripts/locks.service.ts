import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  hashOfLock,
  LOCK_BYTES,
  type Lock,
  LockRefused,
  lockText,
  mayPass,
  NpmFailed,
  npmRegistry,
  parseLock,
  resolveLibraries,
  withInstallScript,
} from '@trawl/libraries';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { ApiError } from '../common/errors.js';
import { BuildTurns } from './build-turns.js';

const TIME_LIMIT_MS = 30_000;
const AT_ONCE = 2;

/** Which versions of its libraries a skript has, and of all that they need. */
export interface LibraryLock {
  hash: string;
  text: string;
  /** Names of libraries with an install script. */
  withScript: string[];
}

/** Why there is none, with the library, such as `ms@^9`, where it is the matter of one. */
export interface LockRefusal {
  refused: string;
  library: string | null;
}

/** Locks of npm libraries by their hash. */
@Injectable()
export class LocksService implements OnApplicationShutdown {
  readonly #turns = new BuildTurns(AT_ONCE);
  readonly #closing = new AbortController();
  /** Under way or waiting, by what is asked for: asked for twice, it is done once. */
  readonly #underWay = new Map<string, Promise<LibraryLock | LockRefusal>>();
  #registry: Promise<string | null> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The lock's text, or null when there is no such lock. */
  async text(hash: string): Promise<string | null> {
    const [row] = await this.dataSource.query<{ lock: string }[]>('SELECT lock FROM locks WHERE hash = $1', [hash]);
    return row?.lock ?? null;
  }

  /**
   * The lock of these libraries for a skript. Versions that the skript has already stay as they are, as far as they fit: a
   * new one is taken when package.json asks for it, not when it is published.
   *
   * @throws {ApiError} 503 when the registry cannot be reached.
   */
  async ofSkript(skriptId: string, libraries: Record<string, string>): Promise<LibraryLock | LockRefusal> {
    const [row] = await this.dataSource.query<{ lock: string }[]>(
      `SELECT l.lock FROM skript_bundles v JOIN bundles b ON b.hash = v.hash JOIN locks l ON l.hash = b.lock_hash
       WHERE v.skript_id = $1 ORDER BY v.built_at DESC LIMIT 1`,
      [skriptId],
    );
    const previous = row ? parseLock(row.lock) : null;
    if (previous && isDeepStrictEqual(previous.packages[''].dependencies, libraries)) return lockOf(previous);
    const asked = JSON.stringify([libraries, row?.lock ?? null]);
    const known = this.#underWay.get(asked);
    if (known) return known;
    const resolving = this.#turns
      .run(() => this.#resolve(libraries, previous))
      .finally(() => this.#underWay.delete(asked));
    this.#underWay.set(asked, resolving);
    return resolving;
  }

  onApplicationShutdown(): void {
    this.#turns.close();
    this.#closing.abort(new ApiError('service_unavailable', 'The platform is stopping. Try again in a few seconds.'));
  }

  async #resolve(libraries: Record<string, string>, previous: Lock | null): Promise<LibraryLock | LockRefusal> {
    this.#registry ??= npmRegistry(this.config.npmRegistry);
    const registry = await this.#registry;
    const folder = await mkdtemp(join(tmpdir(), 'trawl-lock-'));
    const cache = join(folder, 'cache');
    try {
      await mkdir(cache);
      const options = { folder, cache, registry, timeLimitMs: TIME_LIMIT_MS, signal: this.#closing.signal };
      const lock = lockOf(await resolveLibraries(libraries, previous, options));
      if (lock.text.length <= LOCK_BYTES) return lock;
      return { refused: 'With all that they need themselves these libraries are too many.', library: null };
    } catch (error) {
      if (error instanceof LockRefused) return { refused: error.message, library: null };
      if (!(error instanceof NpmFailed)) throw error;
      const { failure } = error;
      if (!mayPass(failure) && failure.code !== 'time_limit')
        return { refused: failure.text, library: failure.library };
      throw new ApiError(
        'service_unavailable',
        `The libraries that package.json names could not be looked up. ${failure.text} Try again in a minute.`,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function lockOf(lock: Lock): LibraryLock {
  const text = lockText(lock);
  return { hash: hashOfLock(text), text, withScript: withInstallScript(lock) };
}
