import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import type { DeletedDto } from '../common/entity.js';
import { ApiError } from '../common/errors.js';
import { type List, TOTAL_CAP, toList } from '../common/list-query.js';
import { CollectionRoomService, collectionsIn, nameTaken } from './collection-room.service.js';
import { checkCollectionName, MongoAccessService, READ, WRITE } from './mongo-access.service.js';
import type {
  CopyMongoCollectionDto,
  MongoCollectionDetailsDto,
  MongoCollectionDto,
  MongoCollectionsQuery,
} from './mongo-collections.dto.js';

/** A copy may take as long as this; it goes on in the server alone. */
const COPY_MS = 300_000;
const NAMESPACE_NOT_FOUND = 26;
const NAMESPACE_EXISTS = 48;

@Injectable()
export class MongoCollectionsService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly room: CollectionRoomService,
  ) {}

  async list(ownerId: string, dbId: string, query: MongoCollectionsQuery): Promise<List<MongoCollectionDto>> {
    return this.access.onDatabase(ownerId, dbId, async db => {
      const names = (await collectionsIn(db)).sort();
      const page = names.slice(query.skip, query.skip + query.limit);
      const items = await Promise.all(page.map(name => measure(db, name)));
      return toList(
        query,
        Math.min(names.length, TOTAL_CAP + 1),
        items.map(({ name, count, size }) => ({ name, count, size })),
      );
    });
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, dbId: string, name: string): Promise<MongoCollectionDetailsDto> {
    return this.access.onCollection(ownerId, dbId, name, async (_collection, db) => {
      await checkIsThere(db, name);
      return measure(db, name);
    });
  }

  /** @throws {ApiError} 409 `name_taken`, 429 `quota_exceeded`. */
  async create(ownerId: string, dbId: string, name: string): Promise<MongoCollectionDetailsDto> {
    checkCollectionName(name, 'name');
    return this.access.onDatabase(ownerId, dbId, async db => {
      await this.room.create(db, name);
      return measure(db, name);
    });
  }

  /** @throws {ApiError} 404. */
  async drop(ownerId: string, dbId: string, name: string): Promise<DeletedDto> {
    return this.access.onCollection(ownerId, dbId, name, async (collection, db) => {
      await checkIsThere(db, name);
      const documents = await collection.estimatedDocumentCount(READ);
      await db.dropCollection(name, WRITE);
      this.room.forget(db.databaseName);
      this.access.shrunk(ownerId);
      return { deleted: { collections: 1, documents } };
    });
  }

  /** @throws {ApiError} 404, 409 `name_taken`. */
  async rename(ownerId: string, dbId: string, name: string, to: string): Promise<MongoCollectionDetailsDto> {
    checkCollectionName(to, 'to');
    return this.access.onCollection(
      ownerId,
      dbId,
      name,
      async (collection, db) => {
        await named(name, to, () => collection.rename(to, WRITE));
        this.room.forget(db.databaseName);
        return measure(db, to);
      },
      'twice_is_different',
    );
  }

  /**
   * Under a name of its own until it is complete, with its indexes, and only then under the one that was asked for: nobody
   * sees half a copy, and nobody's collection is replaced who did not ask for it.
   * @throws {ApiError} 404, 409 `name_taken`, 422 `storage_rejected` when it takes too long.
   */
  async copy(
    ownerId: string,
    dbId: string,
    name: string,
    { to, overwrite }: CopyMongoCollectionDto,
  ): Promise<MongoCollectionDetailsDto> {
    checkCollectionName(to, 'to');
    return this.access.onCollection(ownerId, dbId, name, async (collection, db) => {
      const names = await collectionsIn(db);
      if (!names.includes(name)) throw noCollection(name);
      if (to === name || (names.includes(to) && !overwrite)) throw nameTaken(to);
      const { size } = await measure(db, name);
      await this.access.grow(ownerId, size);
      const unfinished = db.collection(`copying-${randomBytes(8).toString('hex')}`);
      await this.room.create(db, unfinished.collectionName);
      try {
        await collection.aggregate([{ $out: unfinished.collectionName }], { maxTimeMS: COPY_MS }).toArray();
        const indexes = (await collection.indexes()).filter(index => index.name !== '_id_');
        const specifications = indexes.map(({ v: _, ns: _ns, ...index }) => index as mongo.IndexDescription);
        if (specifications.length > 0) await unfinished.createIndexes(specifications, { maxTimeMS: COPY_MS });
        await named(name, to, () => unfinished.rename(to, { dropTarget: overwrite, writeConcern: WRITE.writeConcern }));
      } catch (error) {
        await unfinished.drop().catch(() => undefined);
        throw error;
      } finally {
        this.room.forget(db.databaseName);
      }
      return measure(db, to);
    });
  }
}

/** @throws {ApiError} 404. */
export async function checkIsThere(db: mongo.Db, name: string): Promise<void> {
  const [found] = await db.listCollections({ name, type: 'collection' }, { ...READ, nameOnly: true }).toArray();
  if (!found) throw noCollection(name);
}

async function named(from: string, to: string, rename: () => Promise<unknown>): Promise<void> {
  try {
    await rename();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === NAMESPACE_EXISTS || from === to) throw nameTaken(to);
    throw code === NAMESPACE_NOT_FOUND ? noCollection(from) : error;
  }
}

const noCollection = (name: string): ApiError =>
  new ApiError('not_found', `There is no collection named ${name} in this database.`);

async function measure(db: mongo.Db, name: string): Promise<MongoCollectionDetailsDto> {
  const [stats] = await db
    .collection(name)
    .aggregate<{ storageStats: Record<string, number> }>(
      [
        { $collStats: { storageStats: {} } },
        {
          $project: Object.fromEntries(
            ['count', 'size', 'storageSize', 'nindexes', 'totalIndexSize'].map(field => [`storageStats.${field}`, 1]),
          ),
        },
      ],
      READ,
    )
    .toArray();
  const { count = 0, size = 0, storageSize = 0, nindexes = 0, totalIndexSize = 0 } = stats?.storageStats ?? {};
  return { name, count, size, storage_size: storageSize, indexes: nindexes, index_size: totalIndexSize };
}
