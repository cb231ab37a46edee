import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { problem } from '@trawl/bundler/problems';
import {
  type BundleProblem,
  type Environment,
  installScriptWarning,
  mainFilesIn,
  type RecordMode,
  type RunNode,
  severalMainFiles,
  withRunFiles,
  withRunNode,
} from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { preparedQuery } from '../../../platform/common/sql/prepared-query.js';
import { findBundleCode, findVersion, saveBundle } from '../bundles.repository.js';
import { filesOf, type SourceFile } from '../skript-contents.js';
import { pruneVersions } from '../versions/version-limits.js';
import { BundlerService } from './bundler.service.js';
import type { BundleDto } from './bundles.dto.js';
import { type LibraryLock, LocksService, type Patience, StillResolving } from './locks.service.js';
import { packageFileProblem, readPackageFile } from './package-file.js';
import { RegistryFailed } from './resolution-queue.js';
import { runFilesOf } from './run-files.js';
import { storedValuesOf } from './stored-values.js';

/** The properties of a skript that are needed to start a run. */
export interface RunnableSkript {
  id: string;
  title: string;
  category: string;
  /** The environment of its runs. Not always the skript's setting: see `environmentOfRun`. */
  environment: Environment;
  worker_response_timeout: number;
  time_limit_ms: number;
  retries: number;
  retry_delay_ms: number;
  warm: boolean;
  keep_exchanges: boolean;
  polite: boolean;
  proxy: string | null;
  /** The default key of its rows, from its contract. */
  row_key: string | string[] | null;
  /** Which of its runs are recorded. */
  record: RecordMode;
  /** Null while the libraries of the skript are being resolved. */
  bundleHash: string | null;
  /** Hash of the lock of the skript's npm libraries. Null if the skript has no npm libraries. */
  lockHash: string | null;
  /** Version of the database row that this data was read from. Null if the bundle was just built. */
  version: string | null;
}

interface SkriptRow extends Omit<RunnableSkript, 'bundleHash' | 'lockHash' | 'version'> {
  version: string;
  bundle_hash: string | null;
  lock_hash: string | null;
  needs_browser: boolean | null;
  stale: boolean;
}

interface BuildResult extends BundleDto {
  needsBrowser: boolean;
}

/**
 * How long each caller waits for the resolution of libraries, in ms. Nobody waits for the answer of a scheduled start.
 * `unbuilt`: a run that was accepted without a bundle.
 */
const WAITS_MS = { build: 30_000, start: 1_000, schedule: 0, unbuilt: null } as const;
/**
 * How long a resolution continues after its caller stopped waiting, in ms. A user builds again within these two minutes.
 * A start continues as a run that waits, which needs the result soon afterwards.
 */
const CONTINUE_MS = { build: 120_000, start: 10_000, schedule: 10_000, unbuilt: 0 } as const;

/** Builds bundles. Saves each bundle with its files as a version of the skript. */
@Injectable()
export class BundlesService {
  /** Tests set shorter times. */
  readonly waitsMs: Record<keyof typeof WAITS_MS, number | null> = { ...WAITS_MS };
  readonly continueMs: Record<keyof typeof WAITS_MS, number> = { ...CONTINUE_MS };

  constructor(
    private readonly dataSource: DataSource,
    private readonly bundler: BundlerService,
    private readonly locks: LocksService,
  ) {}

  /**
   * Returns the skript with a current bundle. If the bundle is stale, builds a new one first. Returns it without a bundle
   * if its libraries are still being resolved after the time that this caller waits, or the registry fails during it: one
   * answer for a registry that is down, whenever it fails.
   * @param progress `signal` aborts when the caller no longer needs the bundle while its libraries are being resolved;
   *   `moved` is called with the progress of that.
   * @throws {ApiError} 404, 422 `main_missing`, 422 `bundle_failed`; 503 `RegistryFailed` for the caller `unbuilt`.
   */
  async ensure(
    ownerId: string,
    skriptId: string,
    caller: keyof typeof WAITS_MS,
    progress: Pick<Patience, 'signal' | 'moved'> = {},
  ): Promise<RunnableSkript> {
    const row = await this.#find(ownerId, skriptId);
    const { bundle_hash, lock_hash, needs_browser, stale, version, ...skript } = row;
    const bundle =
      stale || bundle_hash === null
        ? { ...(await this.#buildForRun(row, ownerId, caller, progress)), version: null }
        : { hash: bundle_hash, lock: lock_hash, needsBrowser: needs_browser === true, version };
    return {
      ...skript,
      environment: environmentOfRun(skript.environment, bundle.needsBrowser),
      bundleHash: bundle.hash,
      lockHash: bundle.lock,
      version: bundle.version,
    };
  }

  /**
   * Returns the skript with the bundle of one of its versions.
   * @throws {ApiError} 404.
   */
  async ofVersion(ownerId: string, skriptId: string, hash: string): Promise<RunnableSkript> {
    const { bundle_hash, lock_hash, needs_browser, stale, ...skript } = await this.#find(ownerId, skriptId);
    const version = await findVersion(this.dataSource, skriptId, hash);
    if (!version) throw notFound('version of the skript', hash);
    return {
      ...skript,
      environment: environmentOfRun(skript.environment, version.needsBrowser),
      bundleHash: hash,
      lockHash: version.lock,
      version: null,
    };
  }

  /** Notes that the run has started which the skript records with `next`. */
  async recordedNext(skriptId: string): Promise<void> {
    await this.dataSource.query(`UPDATE skripts SET record = 'off' WHERE id = $1 AND record = 'next'`, [skriptId]);
  }

  /** Returns the code of a bundle, or null for an unknown hash. */
  code(hash: string): Promise<string | null> {
    return findBundleCode(this.dataSource, hash);
  }

  /**
   * Builds a bundle of the skript's current files and saves it as a version.
   * @throws {ApiError} as `ensure` does, and 503 `StillResolving` and `RegistryFailed`.
   */
  async build(ownerId: string, skriptId: string): Promise<BundleDto> {
    const { hash, size, warnings, lock } = await this.#build(
      await this.#find(ownerId, skriptId),
      ownerId,
      this.#patience('build'),
    );
    return { hash, size, warnings, lock };
  }

  #patience(caller: keyof typeof WAITS_MS, progress: Pick<Patience, 'signal' | 'moved'> = {}): Patience {
    return { waitMs: this.waitsMs[caller], continueMs: this.continueMs[caller], ...progress };
  }

  /** Builds no bundle if the libraries are not resolved in time. Then the start is accepted, and its run tells why. */
  async #buildForRun(
    row: SkriptRow,
    ownerId: string,
    caller: keyof typeof WAITS_MS,
    progress: Pick<Patience, 'signal' | 'moved'>,
  ): Promise<Pick<BuildResult, 'lock' | 'needsBrowser'> & { hash: string | null }> {
    try {
      return await this.#build(row, ownerId, this.#patience(caller, progress));
    } catch (error) {
      const isAccepted = error instanceof StillResolving || (error instanceof RegistryFailed && caller !== 'unbuilt');
      if (!isAccepted) throw error;
      return { hash: null, lock: null, needsBrowser: false };
    }
  }

  async #build({ id: skriptId, environment }: SkriptRow, ownerId: string, patience: Patience): Promise<BuildResult> {
    const files = await filesOf(this.dataSource.manager, skriptId);
    const [main, ...others] = mainFilesIn(files.map(({ name }) => name));
    if (main === undefined) {
      throw new ApiError(
        'main_missing',
        'The skript has no file main.js, where a run starts. Add it and export an async function from it.',
      );
    }
    if (others.length > 0) throw bundleFailed([problem(severalMainFiles([main, ...others]))]);
    const wanted = readPackageFile(files);
    if ('problems' in wanted) throw bundleFailed(wanted.problems);
    const lock = await this.#lock(ownerId, skriptId, wanted, files, patience);
    const installed = Object.keys(wanted.libraries);
    const values = await storedValuesOf(this.dataSource.manager, skriptId, files);
    const built = await this.bundler.bundle(
      ownerId,
      [...files, ...values],
      main,
      installed,
      wanted.aliases,
      lock?.hash ?? null,
    );
    if ('problems' in built) throw bundleFailed(built.problems);
    const { browserImport } = built;
    const code = withRunNode(withRunFiles(built.code, [...runFilesOf(files, built.bundled), ...values]), wanted.node);
    const hash = createHash('sha256').update(code).digest('hex');
    const size = Buffer.byteLength(code);
    const needsBrowser = browserImport !== null;
    await this.dataSource.transaction(manager =>
      saveBundle(manager, { ownerId, skriptId, hash, size, code, needsBrowser, files, values, lock }),
    );
    await pruneVersions(this.dataSource, ownerId);
    const warnings = [...wanted.warnings, ...(lock ? installScriptWarnings(lock, files) : []), ...built.warnings];
    if (browserImport && environment === 'nodejs') warnings.push(browserImport);
    return { hash, size, warnings, lock: lock?.hash ?? null, needsBrowser };
  }

  async #lock(
    ownerId: string,
    skriptId: string,
    { libraries, node }: { libraries: Record<string, string>; node: RunNode },
    files: SourceFile[],
    patience: Patience,
  ): Promise<LibraryLock | null> {
    if (Object.keys(libraries).length === 0) return null;
    const lock = await this.locks.ofSkript(ownerId, skriptId, libraries, node, patience);
    if ('refused' in lock) throw bundleFailed([packageFileProblem(files, lock.library, lock.refused)]);
    return lock;
  }

  async #find(ownerId: string, skriptId: string): Promise<SkriptRow> {
    const [row] = await preparedQuery<SkriptRow>(
      this.dataSource,
      'skript for a start',
      `SELECT s.id, s.title, s.category, s.environment, s.worker_response_timeout, s.time_limit_ms, s.retries,
         s.retry_delay_ms, s.warm, s.keep_exchanges, s.polite, s.proxy, s.rows->'key' AS row_key, s.record, s.bundle_hash, b.lock_hash, b.needs_browser, s.stale,
         s.xmin AS version
       FROM skripts s LEFT JOIN bundles b ON b.hash = s.bundle_hash WHERE s.id = $1 AND s.owner_id = $2`,
      [skriptId, ownerId],
    );
    if (!row) throw notFound('skript', skriptId);
    return row;
  }
}

/** Older skripts use the browser in the environment `nodejs`, so a bundle that needs one decides. */
const environmentOfRun = (setting: Environment, needsBrowser: boolean): Environment =>
  setting === 'nodejs' && needsBrowser ? 'browser' : setting;

/** Makes a warning for each library with an install script: such scripts never run, neither here nor on a worker. */
const installScriptWarnings = ({ withInstallScript }: LibraryLock, files: SourceFile[]): BundleProblem[] =>
  withInstallScript.flatMap(name => {
    const warning = installScriptWarning(name);
    return warning === null ? [] : packageFileProblem(files, name, warning);
  });

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
