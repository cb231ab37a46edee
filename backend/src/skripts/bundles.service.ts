import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { BundleProblem, Environment } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, notFound } from '../common/errors.js';
import { preparedQuery } from '../common/prepared-query.js';
import { BundlerService } from './bundler.service.js';
import type { BundleDto } from './bundles.dto.js';
import { type LibraryLock, LocksService } from './locks.service.js';
import { libraryPlace, readPackageFile } from './package-file.js';
import { filesOf, type SourceFile } from './skript-contents.js';
import { dropSurplusVersions } from './version-limits.js';

/** What a start of a run needs to know of its skript. */
export interface RunnableSkript {
  id: string;
  title: string;
  category: string;
  environment: Environment;
  timeoutMs: number;
  retries: number;
  retry_delay_ms: number;
  warm: boolean;
  bundleHash: string;
  /** Of the lock of its npm libraries; null without any. */
  lockHash: string | null;
  /** Of its row, with the bundle that it had already; null when that was built just now. */
  version: string | null;
}

interface SkriptRow extends Omit<RunnableSkript, 'timeoutMs' | 'bundleHash' | 'lockHash' | 'version'> {
  version: string;
  worker_response_timeout: number;
  bundle_hash: string | null;
  lock_hash: string | null;
  stale: boolean;
}

/** Bundles by their hash. Each is kept, with the files it was made from, as the history of its skript. */
@Injectable()
export class BundlesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly bundler: BundlerService,
    private readonly locks: LocksService,
  ) {}

  /**
   * The skript with a bundle of its present files, which is built first when there is none.
   * @throws {ApiError} 404, 422 `main_missing`, 422 `bundle_failed`.
   */
  async ensure(ownerId: string, skriptId: string): Promise<RunnableSkript> {
    const row = await this.#find(ownerId, skriptId);
    const { id, title, category, environment, worker_response_timeout: timeoutMs, retries, retry_delay_ms, warm } = row;
    const fresh = row.stale || row.bundle_hash === null ? null : { hash: row.bundle_hash, lock: row.lock_hash };
    const { hash: bundleHash, lock: lockHash } = fresh ?? (await this.build(ownerId, skriptId));
    const version = fresh && row.version;
    return {
      id,
      title,
      category,
      environment,
      timeoutMs,
      retries,
      retry_delay_ms,
      warm,
      bundleHash,
      lockHash,
      version,
    };
  }

  /** The code of a bundle, or null when there is no such bundle. */
  async code(hash: string): Promise<string | null> {
    const [row] = await this.dataSource.query<{ code: string }[]>('SELECT code FROM bundles WHERE hash = $1', [hash]);
    return row?.code ?? null;
  }

  /** @throws {ApiError} as `ensure` does. */
  async build(ownerId: string, skriptId: string): Promise<BundleDto> {
    await this.#find(ownerId, skriptId);
    const files = await filesOf(this.dataSource.manager, skriptId);
    if (!files.some(({ name }) => name === 'main.js')) {
      throw new ApiError(
        'main_missing',
        'The skript has no file main.js, which is where a run begins. Add it and export an async function from it.',
      );
    }
    const wanted = readPackageFile(files);
    if ('problems' in wanted) throw bundleFailed(wanted.problems);
    const lock = await this.#lock(skriptId, wanted.libraries, files);
    const built = await this.bundler.bundle(files, Object.keys(wanted.libraries), lock?.hash ?? null);
    if ('problems' in built) throw bundleFailed(built.problems);
    const hash = createHash('sha256').update(built.code).digest('hex');
    const size = Buffer.byteLength(built.code);
    await this.dataSource.transaction(manager =>
      keep(manager, { ownerId, skriptId, hash, size, code: built.code, files, lock }),
    );
    await dropSurplusVersions(this.dataSource, ownerId);
    const warnings = [...wanted.warnings, ...(lock ? scriptWarnings(lock, files) : []), ...built.warnings];
    return { hash, size, warnings, lock: lock?.hash ?? null };
  }

  async #lock(skriptId: string, libraries: Record<string, string>, files: SourceFile[]): Promise<LibraryLock | null> {
    if (Object.keys(libraries).length === 0) return null;
    const lock = await this.locks.ofSkript(skriptId, libraries);
    if ('refused' in lock) throw bundleFailed([libraryPlace(files, lock.library, lock.refused)]);
    return lock;
  }

  async #find(ownerId: string, skriptId: string): Promise<SkriptRow> {
    const [row] = await preparedQuery<SkriptRow>(
      this.dataSource,
      'skript for a start',
      `SELECT s.id, s.title, s.category, s.environment, s.worker_response_timeout, s.retries, s.retry_delay_ms, s.warm,
         s.bundle_hash, b.lock_hash, s.stale, s.xmin AS version
       FROM skripts s LEFT JOIN bundles b ON b.hash = s.bundle_hash WHERE s.id = $1 AND s.owner_id = $2`,
      [skriptId, ownerId],
    );
    if (!row) throw notFound('skript', skriptId);
    return row;
  }
}

interface KeptBundle {
  ownerId: string;
  skriptId: string;
  hash: string;
  size: number;
  code: string;
  files: SourceFile[];
  lock: LibraryLock | null;
}

/** The skript is not stale any more only if its files are still those that were bundled. */
async function keep(manager: EntityManager, kept: KeptBundle): Promise<void> {
  const { ownerId, skriptId, hash, size, code, files, lock } = kept;
  const [skript] = await manager.query<unknown[]>('SELECT 1 FROM skripts WHERE id = $1 FOR UPDATE', [skriptId]);
  if (!skript) throw notFound('skript', skriptId);
  const present = JSON.stringify(await filesOf(manager, skriptId));
  const bundled = JSON.stringify(files);
  // Updates that change nothing: they keep what others have, too, from being deleted before it is referred to.
  if (lock) {
    await manager.query(
      'INSERT INTO locks (hash, lock) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash',
      [lock.hash, lock.text],
    );
  }
  await manager.query(
    `INSERT INTO bundles (hash, code, files, size, lock_hash) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash`,
    [hash, code, bundled, size, lock?.hash ?? null],
  );
  // The time of this moment: two builds that waited for each other began in another order, perhaps.
  await manager.query(
    `INSERT INTO skript_bundles (skript_id, hash, built_by, built_at) VALUES ($1, $2, $3, clock_timestamp())
     ON CONFLICT (skript_id, hash) DO UPDATE
     SET built_by = excluded.built_by, built_at = excluded.built_at, builds = skript_bundles.builds + 1`,
    [skriptId, hash, ownerId],
  );
  if (present !== bundled) return;
  await manager.query('UPDATE skripts SET bundle_hash = $2, stale = false WHERE id = $1', [skriptId, hash]);
}

/** Scripts of libraries are never run, neither here nor on a worker. */
const scriptWarnings = ({ withScript }: LibraryLock, files: SourceFile[]): BundleProblem[] =>
  withScript.map(name =>
    libraryPlace(
      files,
      name,
      `${name} has an install script, which is not run: it may not work, unless it brings what it needs ready-made.`,
    ),
  );

function bundleFailed(problems: BundleProblem[]): ApiError {
  const [first] = problems;
  const place = first?.file ? `${first.file}:${first.line}:${first.column}: ` : '';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new ApiError(
    'bundle_failed',
    `${place}${first?.message ?? 'The bundle could not be built.'}${more}`,
    problems,
  );
}
