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
import type { FoundSelectors, RowTask, SelectorTask } from './selector-finder.js';
import type { RowSelectorsDto, RowSelectorsQuery, SelectorsDto, SelectorsQuery } from './selectors.dto.js';
import { type RunWithGoodOne, SelectorsRepository } from './selectors.repository.js';
import type { RowSuggestions } from './suggest/suggest-rows.js';

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
/** Rows of the run itself that are read, to know which are missing. */
const MAX_STORED = 10_000;
const NO_ROWS = new Uint8Array();
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
    const known = await this.#known(ownerId, id, target);
    if (typeof known === 'string') return { items: [], pages: 0, reason: known };
    return this.#limit(async () => {
      // Rows of a collection may be those of other runs, without the field.
      const filter = known.good.filter ?? { [field]: { $nin: [null, ''] } };
      const rows = await this.#read(ownerId, { ...known.good, filter }, MAX_ROWS);
      const task: SelectorTask = { evidence: known.evidence, rows, field };
      const { values, ...found } = await this.#find<FoundSelectors>(id, 'findSelectors', task);
      return { ...found, reason: reasonFor(found, values, field) };
    });
  }

  /** @throws {ApiError} as `suggest` */
  async suggestRows(ownerId: string, id: string, { target }: RowSelectorsQuery): Promise<RowSelectorsDto> {
    const known = await this.#known(ownerId, id, target);
    if (typeof known === 'string') return { row: null, fields: [], pages: 0, reason: known };
    return this.#limit(async () => {
      const rows = await this.#read(ownerId, known.good, MAX_ROWS);
      const { filter } = known.good;
      // Rows of a collection do not tell which run has stored them.
      const stored = filter ? await this.#read(ownerId, { ...known.good, filter: { _run: id } }, MAX_STORED) : NO_ROWS;
      const task: RowTask = { evidence: known.evidence, rows, stored };
      const found = await this.#find<RowSuggestions>(id, 'findRows', task);
      const { row, fields, pages } = found;
      return { row, fields, pages, reason: reasonForRows(found) };
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#threads.destroy();
  }

  /** Returns why there is nothing to compare if the pages or the old rows are missing. */
  async #known(
    ownerId: string,
    id: string,
    target: string | undefined,
  ): Promise<{ evidence: Uint8Array; good: RowSource } | string> {
    const run = await this.repository.runWithGoodOne(ownerId, id);
    if (!run) throw notFound('run', id);
    const evidence = await this.evidence.bytes(ownerId, id);
    if (!evidence) return 'Trawl has kept no pages of this run. It keeps those of failed and broken runs.';
    const good = sourceOf(run, target ?? run.good_target ?? DATASET);
    return typeof good === 'string' ? good : { evidence, good };
  }

  /** Calls a function of `selector-finder.ts` in a thread. */
  async #find<Found>(id: string, name: 'findSelectors' | 'findRows', task: SelectorTask | RowTask): Promise<Found> {
    try {
      return await this.#threads.run(task, { name, signal: AbortSignal.timeout(MAX_MS) });
    } catch (error) {
      const limit = exceededLimit(error, { seconds: MAX_MS / 1_000, mb: THREAD_MB });
      if (limit === null) throw error;
      throw new ApiError(
        'service_unavailable',
        `Comparing the pages of run ${id} took more than ${limit}. Look at one of them.`,
      );
    }
  }

  async #read(ownerId: string, { name, filter }: RowSource, maxRows: number): Promise<Uint8Array> {
    const { id: dbId } = await this.databases.resolve(ownerId);
    const rows: Uint8Array[] = [];
    let bytes = 0;
    const { signal } = new AbortController();
    for await (const batch of this.batches.read(
      ownerId,
      dbId,
      name,
      { filter: filter ?? {}, fields: null, byId: true },
      signal,
    )) {
      for (const row of batch) {
        bytes += row.length;
        if (rows.length === maxRows || bytes > MAX_BYTES) return Buffer.concat(rows);
        rows.push(row);
      }
    }
    return Buffer.concat(rows);
  }
}

/** Where the rows with the old values are. */
interface RowSource {
  name: string;
  /** Null if the rows do not tell which run has stored them. */
  filter: Record<string, unknown> | null;
}

/** Returns why there are no old values if there are none. */
function sourceOf({ skript_id, good_id }: RunWithGoodOne, target: string): RowSource | string {
  if (good_id === null) return 'No earlier good run has the same skript and input, so Trawl knows no old values.';
  if (target === DATASET) return { name: ROWS_PREFIX + skript_id, filter: { _run: good_id } };
  const collection = /^mongodb:([^.]+)$/.exec(target)?.[1];
  if (collection !== undefined) return { name: collection, filter: null };
  return `Trawl knows no old values of ${target}: only of the dataset, and of collections in your first database.`;
}

function reasonFor({ items, pages }: Omit<FoundSelectors, 'values'>, values: number, field: string): string | null {
  if (items.length > 0) return null;
  if (values === 0)
    return `No row of the last good run has text or a number in ${field}. Rows that were deleted have no values.`;
  if (pages === 0) return 'The run has kept no HTML page with an answer of 200.';
  return `No element of the ${pages === 1 ? 'page' : `${pages} pages`} has old values of ${field}, or something like them.`;
}

function reasonForRows({ fields, pages, read, missing, known }: RowSuggestions): string | null {
  if (fields.length > 0) return null;
  if (missing === 0)
    return 'Trawl finds no row of the last good run that this run lacks. Rows that were deleted do not count.';
  if (read === 0) return 'The run has kept no HTML page with an answer of 200.';
  if (pages === 0)
    return `None of ${missing} missing rows is on a page that the run saw. It may have opened fewer pages: look at the links to them.`;
  if (known === 0) return 'The missing rows have no texts or numbers that differ.';
  return `No element of the ${pages === 1 ? 'page' : `${pages} pages`} has values of the missing rows.`;
}
