import { Injectable, Logger } from '@nestjs/common';
import { ObjectId } from 'bson';
import type { mongo } from 'mongoose';
import type { DeletedDto } from '../common/entity.js';
import { ApiError } from '../common/errors.js';
import { type List, TOTAL_CAP, toList } from '../common/list-query.js';
import { collectionNameProblem } from './collection-names.js';
import { toRelaxed } from './extended-json.js';
import { MongoConnectionService } from './mongo-connection.service.js';
import type { MongoCollectionDto } from './mongo-databases.dto.js';
import { MongoDatabasesService } from './mongo-databases.service.js';
import type { IdType, MongoCollectionsQuery, MongoGetQuery, MongoListQuery } from './mongo-documents.dto.js';
import { fieldsToSet, idCandidates, parseMongoSelect, parseMongoSort } from './mongo-queries.js';
import { StorageFailure, toStorageFailure } from './storage-failures.js';

/** A document as relaxed Extended JSON. */
export type MongoDocument = Record<string, unknown>;

type Collection = mongo.Collection;

const MAX_TIME_MS = 10_000;
/** A page of larger documents than this together is refused: it would have to be held in memory whole. */
const PAGE_BYTES = 16 * 1024 * 1024;
const WRITE = { writeConcern: { w: 1, journal: true }, maxTimeMS: MAX_TIME_MS } as const;

/** What the panel and the Joint API do with the documents of a user. */
@Injectable()
export class MongoDocumentsService {
  readonly #log = new Logger(MongoDocumentsService.name);

  constructor(
    private readonly databases: MongoDatabasesService,
    private readonly connection: MongoConnectionService,
  ) {}

  async collections(ownerId: string, dbId: string, query: MongoCollectionsQuery): Promise<List<MongoCollectionDto>> {
    const { dbName } = await this.databases.byId(ownerId, dbId);
    return this.#guarded(async () => {
      const db = await this.connection.db(dbName);
      const found = await db
        .listCollections({ type: 'collection' }, { nameOnly: true, maxTimeMS: MAX_TIME_MS })
        .toArray();
      const names = found.map(({ name }) => name).filter(name => collectionNameProblem(name) === null);
      const page = names.sort().slice(query.skip, query.skip + query.limit);
      const items = await Promise.all(page.map(name => measure(db, name)));
      return { total: names.length, limit: query.limit, skip: query.skip, items };
    });
  }

  async list(ownerId: string, dbId: string, name: string, query: MongoListQuery): Promise<List<MongoDocument>> {
    const projection = parseMongoSelect(query.select);
    const sort = parseMongoSort(query.sort);
    return this.#on(ownerId, dbId, name, async collection => {
      const cursor = collection.find(
        {},
        { projection, sort, skip: query.skip, limit: query.limit, maxTimeMS: MAX_TIME_MS },
      );
      const [counted, items] = await Promise.all([
        collection.countDocuments({}, { limit: TOTAL_CAP + 1, maxTimeMS: MAX_TIME_MS }),
        readPage(cursor),
      ]);
      return toList(query, counted, items);
    });
  }

  async get(ownerId: string, dbId: string, name: string, docId: string, query: MongoGetQuery): Promise<MongoDocument> {
    const projection = parseMongoSelect(query.select);
    return this.#on(ownerId, dbId, name, async collection => {
      const _id = await findId(collection, docId, query.id_type);
      const document = await collection.findOne(byId(_id), { projection, maxTimeMS: MAX_TIME_MS });
      if (!document) throw noDocument(docId);
      return toRelaxed(document);
    });
  }

  async update(
    ownerId: string,
    dbId: string,
    name: string,
    docId: string,
    idType: IdType | undefined,
    body: Record<string, unknown>,
  ): Promise<MongoDocument> {
    const fields = fieldsToSet(body, docId);
    return this.#on(ownerId, dbId, name, async collection => {
      const _id = await findId(collection, docId, idType);
      const document = await collection.findOneAndUpdate(
        byId(_id),
        { $set: fields },
        { ...WRITE, returnDocument: 'after' },
      );
      if (!document) throw noDocument(docId);
      return toRelaxed(document);
    });
  }

  async delete(ownerId: string, dbId: string, name: string, docId: string, idType?: IdType): Promise<DeletedDto> {
    return this.#on(ownerId, dbId, name, async collection => {
      const _id = await findId(collection, docId, idType);
      const { deletedCount } = await collection.deleteOne(byId(_id), WRITE);
      return { deleted: { documents: deletedCount } };
    });
  }

  async #on<T>(ownerId: string, dbId: string, name: string, work: (collection: Collection) => Promise<T>): Promise<T> {
    const problem = collectionNameProblem(name);
    if (problem) throw new ApiError('validation_failed', problem, [{ field: 'collection', message: problem }]);
    const { dbName } = await this.databases.byId(ownerId, dbId);
    return this.#guarded(async () => work((await this.connection.db(dbName)).collection(name)));
  }

  /** Everything here does no harm when it is done twice, so a call whose connection broke may simply be sent again. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const failure = toStorageFailure(error, true);
      if (!failure) throw error;
      this.#log.warn(`${failure.code}: ${failure.message}`);
      throw toApiError(failure);
    }
  }
}

const toApiError = (failure: StorageFailure): ApiError =>
  failure.code === 'storage_unavailable'
    ? new ApiError('storage_unavailable', `${failure.message} Try again in a few seconds.`)
    : new ApiError('storage_rejected', failure.message);

/** An `_id` may be of any type. */
const byId = (_id: unknown) => ({ _id }) as mongo.Filter<mongo.BSON.Document>;

const noDocument = (docId: string): ApiError =>
  new ApiError('not_found', `There is no document with the _id ${docId.slice(0, 100)} in this collection.`);

async function findId(collection: Collection, docId: string, idType: IdType | undefined): Promise<unknown> {
  for (const _id of idCandidates(docId, idType, hex => new ObjectId(hex))) {
    if (await collection.findOne(byId(_id), { projection: { _id: 1 }, maxTimeMS: MAX_TIME_MS })) return _id;
  }
  throw noDocument(docId);
}

async function readPage(cursor: mongo.FindCursor): Promise<MongoDocument[]> {
  const items: MongoDocument[] = [];
  let bytes = 0;
  for await (const document of cursor) {
    const item = toRelaxed(document);
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (bytes > PAGE_BYTES) {
      throw new ApiError(
        'payload_too_large',
        `These documents are more than ${PAGE_BYTES} bytes. Ask for fewer with limit, or for less of each with select.`,
      );
    }
    items.push(item);
  }
  return items;
}

async function measure(db: mongo.Db, name: string): Promise<MongoCollectionDto> {
  const [stats] = await db
    .collection(name)
    .aggregate<{ count: number; size: number }>(
      [
        { $collStats: { storageStats: {} } },
        { $project: { count: '$storageStats.count', size: '$storageStats.size' } },
      ],
      { maxTimeMS: MAX_TIME_MS },
    )
    .toArray();
  return { name, count: stats?.count ?? 0, size: stats?.size ?? 0 };
}
