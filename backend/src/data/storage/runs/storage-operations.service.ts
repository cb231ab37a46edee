import { Injectable, Logger } from '@nestjs/common';
import { type StorageAnswer, type StorageMethod, type StorageOperation } from '@trawl/contracts';
import { serialize } from 'bson';
import type { mongo } from 'mongoose';
import { ApiError } from '../../../platform/common/errors.js';
import { Contention } from '../../../platform/common/shares/contention.service.js';
import { MongoDatabasesService } from '../databases/mongo-databases.service.js';
import { CollectionLimitService } from '../mongodb/collection-limit.service.js';
import { collectionNameProblem } from '../mongodb/collection-names.js';
import { MongoConnectionService } from '../mongodb/mongo-connection.service.js';
import { StorageFailure, toStorageFailure } from '../mongodb/storage-failures.js';
import { estimateIndexSize, estimateUpdateGrowth } from '../usage/estimate-growth.js';
import { StorageUsageService } from '../usage/storage-usage.service.js';
import type { DocumentBytes } from '../values/bson-bytes.js';
import { MAX_TIME_MS, perform } from './perform-operation.js';
import { type RetrySafety, retrySafetyOf } from './retry-safety.js';
import { RunCalls } from './run-calls.js';
import { RunCursorsService } from './run-cursors.service.js';
import { parseArguments } from './storage-arguments.js';
import type { OnStored, RunIds } from './upsert-rows.js';

type Fields = Record<string, unknown>;
type Collection = mongo.Collection;

const READING = new Set<StorageMethod>(['find', 'aggregate', 'countDocuments', 'distinct']);
const WRITING = new Set<StorageMethod>([
  'insertMany',
  'upsertRows',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
]);
const SHRINKING = new Set<StorageMethod>(['deleteOne', 'deleteMany']);

/** Executes the storage operations of runs. A run reaches only databases of its owner, and reads shared ones. */
@Injectable()
export class StorageOperationsService {
  readonly #log = new Logger(StorageOperationsService.name);
  readonly #calls: RunCalls;

  constructor(
    private readonly databases: MongoDatabasesService,
    private readonly connection: MongoConnectionService,
    private readonly cursors: RunCursorsService,
    private readonly usage: StorageUsageService,
    private readonly collectionLimit: CollectionLimitService,
    contention: Contention,
  ) {
    this.#calls = new RunCalls('MongoDB calls', contention);
  }

  /**
   * Executes one operation. Never throws: in case of an error, the response contains a message for the owner of the
   * run.
   *
   * @param chain the id of the run's first attempt, and the number of this one
   * @param onStored is called once a call has stored documents
   */
  async run(
    ownerId: string,
    executionId: string,
    operation: StorageOperation,
    chain: Omit<RunIds, 'executionId'> = { firstId: executionId, attempt: 1 },
    onStored?: OnStored,
  ): Promise<StorageAnswer> {
    const answer = await this.#answer(ownerId, { executionId, ...chain }, operation, onStored);
    return (await this.#writesToDefault(ownerId, operation)) ? { ...answer, is_default: true } : answer;
  }

  /** Tells whether a write names the database that calls without a name reach. */
  async #writesToDefault(ownerId: string, { db, method }: StorageOperation): Promise<boolean> {
    if (db === undefined || !WRITING.has(method)) return false;
    try {
      const [named, first] = [await this.databases.resolve(ownerId, db), await this.databases.resolve(ownerId)];
      return named.id === first.id;
    } catch {
      // Then the call has failed, too, or the run has written to a database that is gone.
      return false;
    }
  }

  async #answer(
    ownerId: string,
    run: RunIds,
    operation: StorageOperation,
    onStored?: OnStored,
  ): Promise<StorageAnswer> {
    const { executionId } = run;
    let safety: RetrySafety = 'never';
    let docs: DocumentBytes | undefined;
    let release = () => {};
    try {
      if (operation.method === 'close') {
        await this.cursors.close(executionId, parseArguments(operation).cursor);
        return { result: serialize({}) };
      }
      // The slot comes first, because checking the arguments can take long.
      release = await this.#calls.acquire(ownerId);
      const args = parseArguments(operation);
      safety = retrySafetyOf(operation.method, args);
      if (operation.method === 'next') return { result: await this.cursors.next(executionId, args.cursor) };
      docs = args.docs as DocumentBytes | undefined;
      const result = await this.#execute(ownerId, run, operation, args, safety);
      if (docs) onStored?.(docs, docs.positions.length);
      return { result };
    } catch (error) {
      const { storedCount, replacedCount } = error as { storedCount?: number; replacedCount?: number };
      if (docs && storedCount) onStored?.(docs, storedCount + (replacedCount ?? 0));
      return {
        error: {
          ...this.#toError(error, safety === 'always'),
          ...(storedCount && { inserted_count: storedCount }),
          ...(replacedCount && { modified_count: replacedCount }),
        },
      };
    } finally {
      release();
    }
  }

  /** Closes the cursors that the run left open. */
  end(executionId: string): Promise<void> {
    return this.cursors.end(executionId);
  }

  async #execute(
    ownerId: string,
    run: RunIds,
    operation: StorageOperation,
    args: Fields,
    safety: RetrySafety,
  ): Promise<Uint8Array> {
    const { method, resend } = operation;
    const [collection, db] = await this.#collection(ownerId, operation);
    await this.#reserve(ownerId, collection, operation, args);
    if (SHRINKING.has(method)) this.usage.markChanged(ownerId);
    if (resend) await checkRetrySafe(collection, args, safety);
    if (mayCreateCollection(method, args)) await this.collectionLimit.ensure(db, collection.collectionName);
    if (method === 'upsertRows') await this.collectionLimit.ensureRowKeys(collection, MAX_TIME_MS);
    const outcome = await perform(db, collection, operation, args, run);
    return 'result' in outcome ? outcome.result : this.cursors.open(run.executionId, outcome.source, outcome.batchSize);
  }

  async #collection(
    ownerId: string,
    { db: name, collection, method }: StorageOperation,
  ): Promise<[Collection, mongo.Db]> {
    const problem = collectionNameProblem(collection);
    if (problem) throw new StorageFailure('storage_rejected', problem);
    const { dbName } = await this.databases.resolve(ownerId, name, READING.has(method) ? 'read' : 'write');
    const db = await this.connection.db(dbName);
    return [db.collection(collection), db];
  }

  /** Reserves the bytes that the operation may add. @throws {StorageFailure} `storage_full`. */
  async #reserve(ownerId: string, collection: Collection, operation: StorageOperation, args: Fields): Promise<void> {
    const maxTimeMS = MAX_TIME_MS;
    const { method } = operation;
    try {
      if (method === 'insertMany' || method === 'upsertRows' || method === 'replaceOne') {
        await this.usage.reserve(ownerId, operation.args.length);
      } else if (method === 'updateOne' || method === 'updateMany') {
        const { filter, update } = args as { filter: Fields; update: unknown };
        const isMany = method === 'updateMany';
        await this.usage.reserveEstimate(ownerId, room =>
          estimateUpdateGrowth({ collection, filter, update, isMany, room, maxTimeMS }),
        );
      } else if (method === 'createIndex') {
        await this.usage.reserveEstimate(ownerId, () =>
          estimateIndexSize({ collection, maxTimeMS }, args.keys as Fields),
        );
      }
    } catch (error) {
      throw error instanceof ApiError ? new StorageFailure('storage_full', error.message) : error;
    }
  }

  #toError(error: unknown, isRetrySafe: boolean): { code: string; message: string } {
    if (error instanceof ApiError) {
      // Report a full queue as unavailable, because the worker retries unavailable operations for a while.
      const isBusy = error.code === 'too_many_requests';
      return { code: isBusy ? 'storage_unavailable' : 'storage_rejected', message: error.message };
    }
    const failure = toStorageFailure(error, isRetrySafe);
    if (failure) return { code: failure.code, message: failure.message };
    this.#log.error(error);
    return { code: 'storage_rejected', message: 'Trawl failed to execute the operation. Its log has the details.' };
  }
}

/** @throws {StorageFailure} `storage_outcome_unknown` if repeating the operation could change the data twice. */
async function checkRetrySafe(collection: Collection, args: Fields, safety: RetrySafety): Promise<void> {
  if (safety === 'always') return;
  if (safety === 'when_one_matches') {
    const matching = await collection.countDocuments(args.filter as Fields, { limit: 2, maxTimeMS: MAX_TIME_MS });
    if (matching <= 1) return;
  }
  throw new StorageFailure(
    'storage_outcome_unknown',
    'The connection broke before the answer arrived, so the call may have changed some documents. Trawl did not repeat it, because a repeat could change the data twice.',
  );
}

const mayCreateCollection = (method: StorageMethod, { upsert }: Fields): boolean =>
  method === 'insertMany' || method === 'upsertRows' || method === 'createIndex' || upsert === true;
