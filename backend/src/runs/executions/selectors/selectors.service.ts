import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import { Piscina } from 'piscina';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { DocumentBatchesService } from '../../../data/storage/documents/document-batches.service.js';
import { ROWS_PREFIX } from '../../../data/storage/mongodb/collection-names.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { exceededLimit } from '../../../platform/common/thread-limits.js';
import { EvidenceRepository } from '../evidence/evidence.repository.js';
import { DATASET } from '../verdicts/profile/run-profile.js';
import type { FoundSelectors, SelectorTask } from './selector-finder.js';
import type { SelectorsDto, SelectorsQuery } from './selectors.dto.js';
import { type RunWithGoodOne, SelectorsRepository } from './selectors.repository.js';

const FINDER = fileURLToPath(new URL('../../../../dist/runs/executions/selectors/selector-finder.js', import.meta.url));
/** Time after which an unused thread ends. */
const IDLE_MS = 30_000;
/** Searches of all accounts that are in memory at the same time. */
const MAX_AT_ONCE = 2;
/** A search takes about 2 s; hostile pages take longer. */
const MAX_MS = 30_000;
const THREAD_MB = 512;
/** Rows of the good run that are read. */
const MAX_ROWS = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Suggests where the value of a field is now: in a thread, because reading fifty pages takes seconds. */
@Injectable()
export class SelectorsService implements OnApplicationShutdown {
  readonly #threads = new Piscina({
    filename: FINDER,
    minThreads: 0,
    maxThreads: MAX_AT_ONCE,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MB },
  });
  readonly #limit = pLimit(MAX_AT_ONCE);

  constructor(
    private readonly repository: SelectorsRepository,
    private readonly evidence: EvidenceRepository,
    private readonly databases: MongoDatabasesService,
    private readonly batches: DocumentBatchesService,
  ) {}

  /**
   * @throws {ApiError} 404 for a run of another user, and without a database; 503 while MongoDB is down, and for pages that
   * take too long.
   */
  async suggest(ownerId: string, id: string, { field, target }: SelectorsQuery): Promise<SelectorsDto> {
    const run = await this.repository.runWithGoodOne(ownerId, id);
    if (!run) throw notFound('run', id);
    const gz = await this.evidence.bytes(ownerId, id);
    if (!gz) return nothing('Trawl has kept no pages of this run. It keeps those of failed and broken runs.');
    const source = sourceOf(run, field, target);
    if (typeof source === 'string') return nothing(source);
    return this.#limit(async () => {
      const rows = await this.#read(ownerId, source);
      const { values, ...found } = await this.#find(id, { evidence: gz, rows, field });
      return { ...found, reason: reasonFor(found, values, field) };
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#threads.destroy();
  }

  async #find(id: string, task: SelectorTask): Promise<FoundSelectors> {
    try {
      return await this.#threads.run(task, { signal: AbortSignal.timeout(MAX_MS) });
    } catch (error) {
      const limit = exceededLimit(error, { seconds: MAX_MS / 1_000, mb: THREAD_MB });
      if (limit === null) throw error;
      throw new ApiError(
        'service_unavailable',
        `Comparing the pages of run ${id} took more than ${limit}. Look for the value on one of them.`,
      );
    }
  }

  async #read(ownerId: string, { name, filter }: RowSource): Promise<Uint8Array> {
    const { id: dbId } = await this.databases.resolve(ownerId);
    const rows: Uint8Array[] = [];
    let bytes = 0;
    const { signal } = new AbortController();
    for await (const batch of this.batches.read(ownerId, dbId, name, { filter, fields: null, byId: true }, signal)) {
      for (const row of batch) {
        bytes += row.length;
        if (rows.length === MAX_ROWS || bytes > MAX_BYTES) return Buffer.concat(rows);
        rows.push(row);
      }
    }
    return Buffer.concat(rows);
  }
}

/** Where the rows with the old values are. */
interface RowSource {
  name: string;
  filter: Record<string, unknown>;
}

/** Returns why there are no old values if there are none. */
function sourceOf({ skript_id, good_id }: RunWithGoodOne, field: string, target: string): RowSource | string {
  if (good_id === null) return 'No earlier good run has the same skript and input, so Trawl knows no old values.';
  if (target === DATASET) return { name: ROWS_PREFIX + skript_id, filter: { _run: good_id } };
  const collection = /^mongodb:([^.]+)$/.exec(target)?.[1];
  // Rows of other runs have the values, too.
  if (collection !== undefined) return { name: collection, filter: { [field]: { $nin: [null, ''] } } };
  return `Trawl knows no old values of ${target}: only of the dataset, and of collections in your first database.`;
}

function reasonFor({ items, pages }: Omit<FoundSelectors, 'values'>, values: number, field: string): string | null {
  if (items.length > 0) return null;
  if (values === 0)
    return `No row of the last good run has text or a number in ${field}. Rows that were deleted have no values.`;
  if (pages === 0) return 'The run has kept no HTML page with an answer of 200.';
  return `No element of the ${pages === 1 ? 'page' : `${pages} pages`} has old values of ${field}, or something like them.`;
}

const nothing = (reason: string): SelectorsDto => ({ items: [], pages: 0, reason });
