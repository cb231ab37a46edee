import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CHANGE_KINDS } from '@trawl/contracts';
import type { mongo } from 'mongoose';
import type { Logger } from 'pino';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { CollectionLimitService } from '../../../data/storage/mongodb/collection-limit.service.js';
import { CHANGES_PREFIX, ITEMS_PREFIX, ROWS_PREFIX } from '../../../data/storage/mongodb/collection-names.js';
import { MongoConnectionService } from '../../../data/storage/mongodb/mongo-connection.service.js';
import { MongoErrorsService } from '../../../data/storage/mongodb/mongo-errors.service.js';
import { StorageUsageService } from '../../../data/storage/usage/storage-usage.service.js';
import { ApiError } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { isTemporaryFailure } from '../../../platform/common/postgres-errors.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import { JobKinds } from '../../../platform/jobs/job-kinds.service.js';
import { isStorageOutage } from '../../../platform/jobs/outages.js';
import { recordEvents } from '../../../platform/notifications/record-events.js';
import { ITEMS_MERGE, type ItemsMerge } from '../verdicts/merge-jobs.js';
import { changesOf, type Fields, type ItemNotes, type StoredChange, toChangeDto } from './item-documents.js';
import { figuresOfItems } from './item-figures.js';
import type { ChangeDto } from './items.dto.js';
import { type ChangeCounts, type DueMerge, MergesRepository } from './merges.repository.js';
import { RowMerger } from './row-merger.js';

const DEADLINE_MS = 3_600_000;
const TOO_LONG = `Merging the rows took longer than ${DEADLINE_MS / 60_000} minutes.`;
const MAX_RETRY_SECONDS = 600;
/** The changes that a notification contains, and the size of their JSON. */
const MAX_NOTIFIED = 100;
const NOTIFIED_CHARS = 64 * 1024;
const NO_CHANGES: ChangeCounts = { added: 0, changed: 0, gone: 0, back: 0 };

/** Merges the rows with a key of runs that have ended well into items, one run of a skript after the other. */
@Injectable()
export class MergesService implements OnModuleInit {
  constructor(
    private readonly repository: MergesRepository,
    private readonly databases: MongoDatabasesService,
    private readonly connection: MongoConnectionService,
    private readonly errors: MongoErrorsService,
    private readonly collections: CollectionLimitService,
    private readonly usage: StorageUsageService,
    private readonly kinds: JobKinds,
    private readonly cleanups: Cleanups,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.kinds.registerPlatform<ItemsMerge>(ITEMS_MERGE, {
      deadlineMs: DEADLINE_MS,
      perLane: 1,
      retrySeconds: attempts => Math.min(5 * attempts, MAX_RETRY_SECONDS),
      run: async ({ params }, { signal }) => {
        const due = await this.repository.nextDue(params.skript_id);
        if (due) await this.#tryMerge(due, signal);
      },
    });
    this.cleanups.add('merges of runs', 'nightly', () => this.repository.deleteWithoutRuns());
  }

  /** Merges a run, or gives it up if it has failed too often. An outage of a database, or a stop, is not a failure. */
  async #tryMerge(due: DueMerge, signal: AbortSignal): Promise<void> {
    try {
      await this.#merge(due, signal);
    } catch (error) {
      const isStopped = signal.aborted && signal.reason !== 'deadline';
      if (isStopped || isStorageOutage(error) || isTemporaryFailure(error)) throw error;
      const { execution_id } = due;
      const reason = signal.aborted ? TOO_LONG : reasonOf(error, execution_id);
      if (!(await this.repository.fail(execution_id, reason))) throw error;
      this.logger.error({ err: error, execution: execution_id }, 'merge of a run failed');
    }
  }

  /** Returns the name of the database with the rows; null if the account has deleted it. */
  async #databaseOf(ownerId: string): Promise<string | null> {
    try {
      return (await this.databases.resolve(ownerId)).dbName;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    }
  }

  async #merge(due: DueMerge, signal: AbortSignal): Promise<void> {
    const { execution_id, skript_id, owner_id } = due;
    if (due.is_older) return this.repository.end(execution_id, 'older', { counts: NO_CHANGES, figures: null });
    const dbName = await this.#databaseOf(owner_id);
    if (dbName === null) return this.repository.delete(execution_id);
    await this.errors.translate(async () => {
      const db = await this.connection.db(dbName);
      if (!(await this.collections.hasRowKeys(db, ROWS_PREFIX + skript_id)))
        return this.repository.delete(execution_id);
      for (const prefix of [ITEMS_PREFIX, CHANGES_PREFIX]) await this.collections.ensure(db, prefix + skript_id);
      const changes = db.collection<StoredChange>(CHANGES_PREFIX + skript_id);
      const run = { executionId: execution_id, firstId: due.first_id, input: due.input_key, at: due.ended_at };
      const items = db.collection<ItemNotes & Fields>(ITEMS_PREFIX + skript_id);
      const merger = new RowMerger(run, {
        dataset: db.collection(ROWS_PREFIX + skript_id),
        items,
        changes,
        reserve: bytes => this.usage.reserve(owner_id, bytes),
        signal,
      });
      if (!(await merger.merge())) return this.repository.delete(execution_id);
      const counts = await countsOf(changes, execution_id);
      const first = await firstChanges(changes, execution_id);
      const figures = await figuresOfItems(items, signal);
      await this.repository.end(execution_id, 'merged', { counts, figures }, manager =>
        recordEvents(manager, hasChanges(counts) ? [eventOf(due, counts, first)] : []),
      );
    });
  }
}

const reasonOf = (error: unknown, executionId: string): string =>
  error instanceof ApiError
    ? error.message
    : `Trawl could not merge the rows because of an error of its own. The server’s log has the details under ${executionId}.`;

const hasChanges = (counts: ChangeCounts): boolean => CHANGE_KINDS.some(kind => counts[kind] > 0);

function eventOf(
  { execution_id, skript_id, skript_name, owner_id }: DueMerge,
  counts: ChangeCounts,
  first: ChangeDto[],
) {
  const data = {
    execution_id,
    skript: { id: skript_id, name: skript_name },
    ...counts,
    changes: first.map(({ kind, key, fields, at }) => ({ kind, key, fields, at })),
  };
  return { ownerId: owner_id, type: 'rows.changed' as const, data };
}

async function countsOf(changes: mongo.Collection<StoredChange>, executionId: string): Promise<ChangeCounts> {
  const groups = changes.aggregate<{ _id: keyof ChangeCounts; count: number }>([
    { $match: { _run: executionId } },
    { $group: { _id: '$kind', count: { $sum: 1 } } },
  ]);
  const counts = { ...NO_CHANGES };
  for (const { _id, count } of await groups.toArray()) counts[_id] = count;
  return counts;
}

/** Returns the first changes of a run, as many as fit into a notification. */
async function firstChanges(changes: mongo.Collection<StoredChange>, executionId: string): Promise<ChangeDto[]> {
  const first: ChangeDto[] = [];
  let chars = 0;
  const cursor = changes.find(changesOf(executionId), {
    sort: { _id: 1 },
    limit: MAX_NOTIFIED,
    batchSize: 10,
    bsonRegExp: true,
  });
  for await (const change of cursor) {
    const dto = toChangeDto(change as unknown as Fields);
    chars += JSON.stringify(dto).length;
    if (chars > NOTIFIED_CHARS) break;
    first.push(dto);
  }
  return first;
}
