import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { RUN_NODES, type RunNode } from '@trawl/contracts';
import {
  checkedLock,
  collectDeclarations,
  type Declarations,
  type Lock,
  makeTemporaryFolder,
  NpmError,
  npmRegistry,
  parseLock,
} from '@trawl/libraries';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { notFound } from '../../../platform/common/errors.js';
import { LocksService } from '../bundles/locks.service.js';
import { readPackageFile, readTypePackages } from '../bundles/package-file.js';
import { RegistryFailed, ResolutionQueue } from '../bundles/resolution-queue.js';
import { filesOf, type SourceFile } from '../skript-contents.js';
import type { LibraryTypesDto } from './library-types.dto.js';

/** How long a call waits for the versions of libraries, and how long their resolution then continues for the next call. */
const PATIENCE = { waitMs: 30_000, continueMs: 120_000 };
const TIME_LIMIT_MS = 60_000;
const KEPT_CHARS = 32 * 1024 * 1024;
const NO_LIBRARIES = checkedLock({});

interface WantedTypes {
  lock: Lock;
  /** Names of the libraries, in the order in which they get room. */
  names: string[];
  types: Record<string, string>;
  node: RunNode;
}

/** Collects the types of npm libraries for the editor. */
@Injectable()
export class LibraryTypesService {
  /** Not the queue of builds: no build waits for an editor. */
  readonly #queue = new ResolutionQueue();
  /** Results by lock and packages of types. Equal locks have equal archives, so accounts can share them. */
  readonly #kept = new LRUCache<string, LibraryTypesDto>({
    maxSize: KEPT_CHARS,
    sizeCalculation: ({ files }) => files.reduce((sum, { content }) => sum + content.length, 1),
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly locks: LocksService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws {ApiError} 404, 429, and 503 if the registry fails or takes too long. */
  async ofSkript(ownerId: string, skriptId: string): Promise<LibraryTypesDto> {
    const owned = await this.dataSource.query<unknown[]>('SELECT 1 FROM skripts WHERE id = $1 AND owner_id = $2', [
      skriptId,
      ownerId,
    ]);
    if (owned.length === 0) throw notFound('skript', skriptId);
    const files = await filesOf(this.dataSource.manager, skriptId);
    const wanted = readPackageFile(files);
    // The build reports problems of package.json.
    if ('problems' in wanted) return { files: [], left_out: [] };
    const { libraries, node } = wanted;
    const types = readTypePackages(files);
    const names = importedFirst(Object.keys(libraries), files);
    if (names.length === 0 && Object.keys(types).length === 0) return { files: [], left_out: [] };
    if (names.length === 0) return this.#collect(ownerId, { lock: NO_LIBRARIES, names, types, node });
    const lock = await this.locks.ofSkript(ownerId, skriptId, libraries, node, PATIENCE);
    if ('refused' in lock) return { files: [], left_out: names.map(library => ({ library, reason: lock.refused })) };
    return this.#collect(ownerId, { lock: parseLock(lock.text), names, types, node });
  }

  async #collect(ownerId: string, wanted: WantedTypes): Promise<LibraryTypesDto> {
    const key = createHash('sha256').update(JSON.stringify(wanted)).digest('hex');
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const abort = new AbortController();
    const { files, leftOut } = await this.#queue.run(
      ownerId,
      onSlow => this.#read(wanted, abort.signal, onSlow),
      abort,
      () => {},
    );
    const result = {
      files: Object.entries(files).map(([path, content]) => ({ path, content })),
      left_out: Object.entries(leftOut).map(([library, reason]) => ({ library, reason })),
    };
    this.#kept.set(key, result);
    return result;
  }

  async #read(
    { lock, names, types, node }: WantedTypes,
    signal: AbortSignal,
    onSlow: () => void,
  ): Promise<Declarations> {
    const folder = await makeTemporaryFolder();
    const cache = join(folder, 'cache');
    try {
      await mkdir(cache);
      const registry = await npmRegistry(this.config.npmRegistry);
      const timing = { timeLimitMs: TIME_LIMIT_MS, slowMs: this.#queue.limits.slowMs, signal, onSlow };
      return await collectDeclarations(lock, names, types, {
        folder,
        cache,
        registry,
        node: RUN_NODES[node],
        ...timing,
      });
    } catch (error) {
      if (!(error instanceof NpmError)) throw error;
      throw new RegistryFailed(
        'service_unavailable',
        `The types of the libraries in package.json could not be loaded. ${error.failure.text}`,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Not all libraries may fit, and package.json may name tools that no code imports. */
function importedFirst(names: string[], files: readonly SourceFile[]): string[] {
  const code = files.filter(({ name }) => /\.[cm]?[jt]sx?$/.test(name)).map(({ content }) => content);
  const isImported = (name: string) => code.some(text => text.includes(`'${name}`) || text.includes(`"${name}`));
  return [...names.filter(isImported), ...names.filter(name => !isImported(name))];
}
