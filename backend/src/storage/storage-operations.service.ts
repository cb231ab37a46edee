import { Injectable, Logger } from '@nestjs/common';
import { LIMITS, type StorageAnswer, type StorageMethod, type StorageOperation } from '@trawl/contracts';
import { EJSON } from 'bson';
import type { mongo } from 'mongoose';
import { z } from 'zod';
import { ApiError } from '../common/errors.js';
import { collectionNameProblem } from './collection-names.js';
import { CollectionRoomService } from './collection-room.service.js';
import { queryFromJson } from './extended-json.js';
import { growthByIndex, growthByUpdate } from './growth.js';
import { insertDocuments } from './insert-documents.js';
import { MongoConnectionService } from './mongo-connection.service.js';
import { MongoDatabasesService } from './mongo-databases.service.js';
import { checkDocument } from './operators.js';
import { isRepeatable } from './repeatable.js';
import { RunCursorsService } from './run-cursors.service.js';
import { argumentSchemas } from './storage-arguments.js';
import { StorageFailure, toStorageFailure } from './storage-failures.js';
import { StorageUsageService } from './storage-usage.service.js';
import { Turns } from './turns.js';

type Fields = Record<string, unknown>;
type Collection = mongo.Collection;

const MAX_TIME_MS = 20_000;
const READ = { maxTimeMS: MAX_TIME_MS, promoteValues: false } as const;
const WRITE = { writeConcern: { w: 1, journal: true }, maxTimeMS: MAX_TIME_MS } as const;
const MAX_BATCH = 1_000;
const OPERATIONS_AT_ONCE = 8;
/** A worker holds back what a run sends beyond 32; a platform full of runs of one account waits in the workers. */
const OPERATIONS_THAT_WAIT = 256;
const SHRINKING = new Set<StorageMethod>(['deleteOne', 'deleteMany']);

/** The operations that runs send, on the databases of the run's owner and nothing else. */
@Injectable()
export class StorageOperationsService {
  readonly #log = new Logger(StorageOperationsService.name);
  readonly #turns = new Turns(OPERATIONS_AT_ONCE, OPERATIONS_THAT_WAIT);

  constructor(
    private readonly databases: MongoDatabasesService,
    private readonly connection: MongoConnectionService,
    private readonly cursors: RunCursorsService,
    private readonly usage: StorageUsageService,
    private readonly room: CollectionRoomService,
  ) {}

  /** Never throws: what went wrong is in the answer, in words for the owner of the run. */
  async run(ownerId: string, executionId: string, operation: StorageOperation): Promise<StorageAnswer> {
    let harmlessTwice = false;
    let end = () => {};
    try {
      const args = parseArguments(operation);
      const repeatable = isRepeatable(operation.method, args);
      harmlessTwice = repeatable === 'always';
      if (operation.method === 'close') {
        await this.cursors.close(executionId, args.cursor);
        return { result: '{}' };
      }
      end = await this.#turns.take(ownerId);
      if (operation.method === 'next') return { result: await this.cursors.next(executionId, args.cursor) };
      const [collection, db] = await this.#collection(ownerId, operation);
      await this.#grow(ownerId, collection, operation, args);
      if (SHRINKING.has(operation.method)) this.usage.changed(ownerId);
      if (operation.resend && repeatable !== 'always') {
        const once = repeatable === 'when_one_matches' && (await matchesAtMostOne(collection, args.filter as Fields));
        if (!once) {
          throw new StorageFailure(
            'storage_outcome_unknown',
            'The connection broke before the answer came: the call may or may not have been done. It was not repeated, because doing it twice could change the data twice.',
          );
        }
      }
      if (mayMakeCollection(operation.method, args)) await this.room.ensure(db, collection.collectionName);
      return { result: await this.#perform(collection, executionId, operation, args) };
    } catch (error) {
      return { error: this.#explain(error, harmlessTwice) };
    } finally {
      end();
    }
  }

  /** Closes what the run has left open. */
  end(executionId: string): Promise<void> {
    return this.cursors.end(executionId);
  }

  async #grow(ownerId: string, collection: Collection, operation: StorageOperation, args: Fields): Promise<void> {
    const maxTimeMS = MAX_TIME_MS;
    const { method } = operation;
    try {
      if (method === 'insertMany' || method === 'replaceOne') {
        await this.usage.grow(ownerId, Buffer.byteLength(operation.args));
      } else if (method === 'updateOne' || method === 'updateMany') {
        const { filter, update } = args as { filter: Fields; update: unknown };
        const isMany = method === 'updateMany';
        await this.usage.growBy(ownerId, room =>
          growthByUpdate({ collection, filter, update, isMany, room, maxTimeMS }),
        );
      } else if (method === 'createIndex') {
        await this.usage.growBy(ownerId, () => growthByIndex({ collection, maxTimeMS }, args.keys as Fields));
      }
    } catch (error) {
      throw error instanceof ApiError ? new StorageFailure('storage_full', error.message) : error;
    }
  }

  async #collection(ownerId: string, { db: name, collection }: StorageOperation): Promise<[Collection, mongo.Db]> {
    const problem = collectionNameProblem(collection);
    if (problem) throw new StorageFailure('storage_rejected', problem);
    const { dbName } = await this.databases.resolve(ownerId, name);
    const db = await this.connection.db(dbName);
    return [db.collection(collection), db];
  }

  async #perform(
    collection: Collection,
    executionId: string,
    { method, resend }: StorageOperation,
    args: Fields,
  ): Promise<string> {
    const filter = args.filter as Fields;
    switch (method) {
      case 'find': {
        const { projection, sort, skip = 0, limit = 0 } = args as FindArguments;
        const batchSize = batchSizeOf(args);
        const source = collection.find(filter, {
          ...READ,
          projection,
          sort,
          skip: Number(skip),
          limit: Number(limit),
          batchSize,
        });
        return this.cursors.open(executionId, source, batchSize);
      }
      case 'aggregate': {
        const batchSize = batchSizeOf(args);
        return this.cursors.open(
          executionId,
          collection.aggregate(args.pipeline as Fields[], { ...READ, batchSize }),
          batchSize,
        );
      }
      case 'countDocuments':
        return toText({ count: await collection.countDocuments(filter, { maxTimeMS: MAX_TIME_MS }) });
      case 'distinct':
        return toText({ values: await collection.distinct(args.field as string, filter, READ) });
      case 'insertMany':
        return toText({
          inserted_count: await insertDocuments(
            collection,
            args.docs as { _id: unknown }[],
            args.ordered === true,
            resend,
            WRITE,
          ),
        });
      case 'updateOne':
        return changed(
          await collection.updateOne(filter, args.update as Fields, { ...WRITE, upsert: args.upsert === true }),
        );
      case 'updateMany':
        return changed(
          await collection.updateMany(filter, args.update as Fields, { ...WRITE, upsert: args.upsert === true }),
        );
      case 'replaceOne':
        return changed(
          await collection.replaceOne(filter, args.replacement as Fields, { ...WRITE, upsert: args.upsert === true }),
        );
      case 'deleteOne':
        return toText({ deleted_count: (await collection.deleteOne(filter, WRITE)).deletedCount });
      case 'deleteMany':
        return toText({ deleted_count: (await collection.deleteMany(filter, WRITE)).deletedCount });
      case 'createIndex': {
        const { unique, name } = args as { unique?: boolean; name?: string };
        const options = { ...(unique === undefined ? {} : { unique }), ...(name === undefined ? {} : { name }) };
        return toText({
          name: await collection.createIndex(args.keys as mongo.IndexSpecification, {
            ...options,
            maxTimeMS: MAX_TIME_MS,
          }),
        });
      }
      default:
        throw new StorageFailure('storage_rejected', `There is no operation ${method}.`);
    }
  }

  #explain(error: unknown, harmlessTwice: boolean): { code: string; message: string } {
    if (error instanceof ApiError) {
      // A worker sends it again for a while, as it does when MongoDB is away.
      const isBusy = error.code === 'too_many_requests';
      return { code: isBusy ? 'storage_unavailable' : 'storage_rejected', message: error.message };
    }
    const failure = toStorageFailure(error, harmlessTwice);
    if (failure) return { code: failure.code, message: failure.message };
    this.#log.error(error);
    return { code: 'storage_rejected', message: 'Something went wrong on the platform’s side; its log has more.' };
  }
}

interface FindArguments {
  projection?: Fields;
  sort?: Record<string, 1 | -1>;
  skip?: unknown;
  limit?: unknown;
}

function parseArguments({ method, args }: StorageOperation): Fields {
  const bytes = Buffer.byteLength(args);
  if (bytes > LIMITS.storageOperationBytes) {
    throw new StorageFailure(
      'storage_too_large',
      `The call is ${bytes} bytes as Extended JSON; it may have ${LIMITS.storageOperationBytes}.`,
    );
  }
  let value: unknown;
  try {
    value = withQueries(JSON.parse(args), EJSON.parse(args, { relaxed: false }));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new StorageFailure(
      'storage_rejected',
      `The arguments are not Extended JSON: ${(error as Error).message.slice(0, 200)}`,
    );
  }
  const parsed = (argumentSchemas[method] as z.ZodType<Fields>).safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new StorageFailure(
      'storage_rejected',
      `${issue?.path.join('.') || 'The arguments'}: ${issue?.message ?? 'are not what the call takes'}`,
    );
  }
  checkArguments(method, parsed.data);
  return parsed.data;
}

const QUERIES = ['filter', 'update', 'projection', 'sort', 'pipeline', 'keys'] as const;

/**
 * EJSON's own reading of `{ $regex, $ne }` has only the pattern in it and forgets the rest, which makes a filter wider; so
 * what may hold operators is read by `queryFromJson`.
 */
function withQueries(sent: unknown, parsed: unknown): unknown {
  if (sent === null || typeof sent !== 'object') return parsed;
  const queries = QUERIES.flatMap(name => {
    const query = (sent as Fields)[name];
    return query !== null && typeof query === 'object' ? [[name, queryFromJson(query, name)]] : [];
  });
  return { ...(parsed as Fields), ...Object.fromEntries(queries) };
}

function checkArguments(method: StorageMethod, args: Fields): void {
  if (method === 'insertMany') for (const doc of args.docs as Fields[]) checkDocument(doc);
  if (method === 'replaceOne') checkDocument(args.replacement);
  if (method === 'distinct' && String(args.field).startsWith('$'))
    throw new StorageFailure('storage_rejected', 'field: must be the name of a field');
}

const mayMakeCollection = (method: StorageMethod, { upsert }: Fields): boolean =>
  method === 'insertMany' || method === 'createIndex' || upsert === true;

const matchesAtMostOne = async (collection: Collection, filter: Fields): Promise<boolean> =>
  (await collection.countDocuments(filter, { limit: 2, maxTimeMS: MAX_TIME_MS })) <= 1;

const batchSizeOf = ({ batch_size = MAX_BATCH }: { batch_size?: unknown }): number =>
  Math.min(Number(batch_size), MAX_BATCH);

const changed = ({ matchedCount, modifiedCount, upsertedCount, upsertedId }: mongo.UpdateResult): string =>
  toText({
    matched_count: matchedCount,
    modified_count: modifiedCount,
    upserted_count: upsertedCount,
    upserted_id: upsertedId,
  });

function toText(value: object): string {
  const text = EJSON.stringify(value, { relaxed: false });
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.storageOperationBytes) {
    throw new StorageFailure(
      'storage_too_large',
      `The answer is ${bytes} bytes as Extended JSON; it may have ${LIMITS.storageOperationBytes}. Narrow the filter.`,
    );
  }
  return text;
}
