import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { BundleProblem, Environment } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, notFound } from '../common/errors.js';
import { preparedQuery } from '../common/prepared-query.js';
import { BundlerService } from './bundler.service.js';
import type { BundleDto } from './bundles.dto.js';
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
  bundleHash: string;
}

interface SkriptRow extends Omit<RunnableSkript, 'timeoutMs' | 'bundleHash'> {
  worker_response_timeout: number;
  bundle_hash: string | null;
  stale: boolean;
}

/** Bundles by their hash. Each is kept, with the files it was made from, as the history of its skript. */
@Injectable()
export class BundlesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly bundler: BundlerService,
  ) {}

  /**
   * The skript with a bundle of its present files, which is built first when there is none.
   * @throws {ApiError} 404, 422 `main_missing`, 422 `bundle_failed`.
   */
  async ensure(ownerId: string, skriptId: string): Promise<RunnableSkript> {
    const row = await this.#find(ownerId, skriptId);
    const { id, title, category, environment, worker_response_timeout: timeoutMs, retries, retry_delay_ms } = row;
    const fresh = row.stale ? null : row.bundle_hash;
    const bundleHash = fresh ?? (await this.build(ownerId, skriptId)).hash;
    return { id, title, category, environment, timeoutMs, retries, retry_delay_ms, bundleHash };
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
    const built = await this.bundler.bundle(files);
    if ('problems' in built) throw bundleFailed(built.problems);
    const hash = createHash('sha256').update(built.code).digest('hex');
    const size = Buffer.byteLength(built.code);
    await this.dataSource.transaction(manager =>
      keep(manager, { ownerId, skriptId, hash, size, code: built.code, files }),
    );
    await dropSurplusVersions(this.dataSource, ownerId);
    return { hash, size, warnings: built.warnings, lock: null };
  }

  async #find(ownerId: string, skriptId: string): Promise<SkriptRow> {
    const [row] = await preparedQuery<SkriptRow>(
      this.dataSource,
      'skript for a start',
      `SELECT id, title, category, environment, worker_response_timeout, retries, retry_delay_ms, bundle_hash, stale
       FROM skripts WHERE id = $1 AND owner_id = $2`,
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
}

/** The skript is not stale any more only if its files are still those that were bundled. */
async function keep(manager: EntityManager, { ownerId, skriptId, hash, size, code, files }: KeptBundle): Promise<void> {
  const [skript] = await manager.query<unknown[]>('SELECT 1 FROM skripts WHERE id = $1 FOR UPDATE', [skriptId]);
  if (!skript) throw notFound('skript', skriptId);
  const present = JSON.stringify(await filesOf(manager, skriptId));
  const bundled = JSON.stringify(files);
  // An update that changes nothing: it keeps a bundle that others have, too, from being deleted before it is referred to.
  await manager.query(
    `INSERT INTO bundles (hash, code, files, size) VALUES ($1, $2, $3, $4)
     ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash`,
    [hash, code, bundled, size],
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
