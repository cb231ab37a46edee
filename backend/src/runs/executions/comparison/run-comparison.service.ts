import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type RowComparison, runTime } from '@trawl/contracts';
import pLimit from 'p-limit';
import { Piscina } from 'piscina';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { DocumentBatchesService } from '../../../data/storage/documents/document-batches.service.js';
import { rowsCollection } from '../../../data/storage/mongodb/collection-names.js';
import { documentsIn } from '../../../data/storage/values/rows-in-bson.js';
import { ApiError } from '../../../platform/common/errors.js';
import { exceededLimit } from '../../../platform/common/thread-limits.js';
import { InsertedRowsService } from '../recordings/inserted-rows.service.js';
import { ExecutionsService } from '../records/executions.service.js';
import { DATASET } from '../verdicts/profile/run-profile.js';
import type { ComparedBytes } from './row-comparer.js';
import type { RunComparisonDto } from './run-comparison.dto.js';

const COMPARER = fileURLToPath(new URL('../../../../dist/runs/executions/comparison/row-comparer.js', import.meta.url));
/** Time after which an unused thread ends. */
const IDLE_MS = 30_000;
/** Limits for the rows of each run. */
export const MAX_COMPARED_ROWS = 100_000;
const MAX_COMPARED_BYTES = 16 * 1024 * 1024;
/** Comparisons of all accounts that are in memory at the same time. */
const MAX_AT_ONCE = 2;

/** A comparison takes about a second; hostile rows take longer. */
const MAX_MS = 30_000;
const THREAD_MB = 1_024;

/** The first rows of a run, as BSON documents one after another. */
interface ReadRows {
  bytes: Uint8Array;
  compared: number;
  complete: boolean;
}

/** Compares the rows of two runs of an account: in a thread, because 100,000 rows take a second. */
@Injectable()
export class RunComparisonService implements OnApplicationShutdown {
  readonly #threads = new Piscina({
    filename: COMPARER,
    minThreads: 0,
    maxThreads: MAX_AT_ONCE,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MB },
  });
  readonly #limit = pLimit(MAX_AT_ONCE);

  constructor(
    private readonly executions: ExecutionsService,
    private readonly databases: MongoDatabasesService,
    private readonly batches: DocumentBatchesService,
    private readonly inserted: InsertedRowsService,
  ) {}

  /**
   * Compares a run with another one, which counts as the earlier of the two.
   *
   * @param target what to compare; see `RunComparisonQuery`
   * @throws {ApiError} 404 if one of them is a run of another user or they have no such target, and without a database; 503 while MongoDB is down, and
   * for rows that take too long.
   */
  async compare(ownerId: string, executionId: string, otherId: string, named?: string): Promise<RunComparisonDto> {
    const run = await this.executions.get(ownerId, executionId);
    const other = await this.executions.get(ownerId, otherId);
    const targets = await this.#targetsOf(run, other);
    const target = named ?? (targets[0] as string);
    if (target !== DATASET && !targets.includes(target)) throw noTarget(target, targets);
    const areInserted = target !== DATASET;
    const dbId = areInserted ? null : (await this.databases.resolve(ownerId)).id;
    const read = (from: RunOfSkript) =>
      dbId === null ? this.#readInserted(from.id, target) : this.#read(ownerId, dbId, from);
    return this.#limit(async () => {
      const was = await read(other);
      const now = await read(run);
      const times = isReplay(run) || isReplay(other) ? { was: runTime(other), now: runTime(run) } : undefined;
      const task: ComparedBytes = { was: was.bytes, now: now.bytes, areInserted, times };
      const comparison = await this.#compareBytes(task, executionId, otherId);
      return { target, targets, was: withoutBytes(was), now: withoutBytes(now), ...comparison };
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#threads.destroy();
  }

  async #compareBytes(task: ComparedBytes, id: string, otherId: string): Promise<RowComparison> {
    try {
      return await this.#threads.run(task, { signal: AbortSignal.timeout(MAX_MS) });
    } catch (error) {
      const limit = exceededLimit(error, { seconds: MAX_MS / 1_000, mb: THREAD_MB });
      if (limit === null) throw error;
      throw new ApiError(
        'service_unavailable',
        `Comparing the rows of run ${id} with those of run ${otherId} took more than ${limit}. Export both runs, and compare the files.`,
      );
    }
  }

  /** Returns at least one target: the dataset, if neither run has other rows. */
  async #targetsOf(run: RunOfSkript, other: RunOfSkript): Promise<string[]> {
    const found = new Set<string>();
    if (isKept(run) && isKept(other)) {
      for (const { id } of [other, run]) {
        for (const target of (await this.inserted.targetsOf(id)).keys()) found.add(target);
      }
    }
    const hasDataset = (run.rows ?? 0) + (other.rows ?? 0) > 0 || found.size === 0;
    return [...(hasDataset ? [DATASET] : []), ...found];
  }

  async #readInserted(id: string, target: string): Promise<ReadRows> {
    const complete = (await this.inserted.targetsOf(id)).get(target) ?? true;
    const calls: Buffer[] = [];
    for await (const rows of this.inserted.read(id, target)) calls.push(rows);
    const bytes = Buffer.concat(calls);
    let compared = 0;
    for (const _ of documentsIn(bytes)) compared += 1;
    return { bytes, compared, complete };
  }

  async #read(ownerId: string, dbId: string, run: RunOfSkript): Promise<ReadRows> {
    const query = { filter: { _run: run.id }, fields: null, byId: true };
    const documents: Uint8Array[] = [];
    let size = 0;
    const { signal } = new AbortController();
    const result = (complete: boolean): ReadRows => ({
      bytes: Buffer.concat(documents),
      compared: documents.length,
      complete,
    });
    for await (const batch of this.batches.read(ownerId, dbId, rowsCollection(run), query, signal)) {
      for (const document of batch) {
        size += document.length;
        if (documents.length === MAX_COMPARED_ROWS || size > MAX_COMPARED_BYTES) return result(false);
        documents.push(document);
      }
    }
    return result(true);
  }
}

interface RunOfSkript {
  id: string;
  rows: number | null;
  record: { bytes: number } | null;
  skript: { id: string };
  replay_of: string | null;
  started_at: string | null;
  ended_at: string | null;
}

const isReplay = ({ replay_of: original }: RunOfSkript): boolean => original !== null;

/** Whether the rows that a run sends with `mongo` and `postgres` are kept. They are deleted with its record. */
const isKept = (run: RunOfSkript) => isReplay(run) || (run.record?.bytes ?? 0) > 0;

const noTarget = (target: string, targets: string[]): ApiError =>
  new ApiError(
    'not_found',
    `The runs have no rows in ${target.slice(0, 100)} that can be compared. \`target\` can be: ${targets.join(', ')}.`,
  );

const withoutBytes = ({ compared, complete }: ReadRows) => ({ compared, complete });
