import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { type List, TOTAL_CAP, toList } from '../../../platform/http/lists/list-query.js';
import { checkCollectionName, MongoAccessService } from '../access/mongo-access.service.js';
import { READ, WRITE } from '../mongodb/call-options.js';
import { CollectionLimitService, collectionsIn, nameTaken } from '../mongodb/collection-limit.service.js';
import { checkExists, noCollection } from '../mongodb/existing-collection.js';
import type {
  CopyMongoCollectionDto,
  MongoCollectionDetailsDto,
  MongoCollectionDto,
  MongoCollectionsQuery,
} from './mongo-collections.dto.js';

/** Time limit for a copy, in which MongoDB copies all documents without help of the backend. */
const COPY_MS = 300_000;
const NAMESPACE_NOT_FOUND = 26;
const NAMESPACE_EXISTS = 48;

@Injectable()
export class MongoCollectionsService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly collectionLimit: CollectionLimitService,
  ) {}

  async list(ownerId: string, dbId: string, query: MongoCollectionsQuery): Promise<List<MongoCollectionDto>> {
    return this.access.readDatabase(ownerId, dbId, async db => {
      const part = query.name_contains?.toLowerCase() ?? '';
      const names = (await collectionsIn(db)).filter(name => name.toLowerCase().includes(part)).sort();
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
    return this.access.readCollection(ownerId, dbId, name, async (_collection, db) => {
      await checkExists(db, name);
      return measure(db, name);
    });
  }

  /** @throws {ApiError} 409 `name_taken`, 429 `quota_exceeded`. */
  async create(ownerId: string, dbId: string, name: string): Promise<MongoCollectionDetailsDto> {
    checkCollectionName(name, 'name');
    return this.access.onDatabase(ownerId, dbId, async db => {
      await this.collectionLimit.create(db, name);
      return measure(db, name);
    });
  }

  /** @throws {ApiError} 404. */
  async drop(ownerId: string, dbId: string, name: string): Promise<DeletedDto> {
    return this.access.onCollection(ownerId, dbId, name, async (collection, db) => {
      await checkExists(db, name);
      const documents = await collection.estimatedDocumentCount(READ);
      await db.dropCollection(name, WRITE);
      this.collectionLimit.forget(db.databaseName);
      this.access.markChanged(ownerId);
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
        await translatingRename(name, to, () => collection.rename(to, WRITE));
        this.collectionLimit.forget(db.databaseName);
        return measure(db, to);
      },
      false,
    );
  }

  /**
   * Copies documents and indexes to a collection with a temporary name and then renames that collection. So nobody sees
   * an incomplete copy. An existing collection `to` is replaced only with `overwrite`.
   * @throws {ApiError} 404, 409 `name_taken`, 422 `storage_rejected` when the copy exceeds its time limit.
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
      await this.access.reserve(ownerId, size);
      const temporary = db.collection(`copying-${randomBytes(8).toString('hex')}`);
      await this.collectionLimit.create(db, temporary.collectionName);
      try {
        await collection.aggregate([{ $out: temporary.collectionName }], { maxTimeMS: COPY_MS }).toArray();
        const indexes = (await collection.indexes()).filter(index => index.name !== '_id_');
        const specifications = indexes.map(({ v: _, ns: _ns, ...index }) => index as mongo.IndexDescription);
        if (specifications.length > 0) await temporary.createIndexes(specifications, { maxTimeMS: COPY_MS });
        await translatingRename(name, to, () =>
          temporary.rename(to, { dropTarget: overwrite, writeConcern: WRITE.writeConcern }),
        );
      } catch (error) {
        await temporary.drop().catch(() => undefined);
        throw error;
      } finally {
        this.collectionLimit.forget(db.databaseName);
      }
      return measure(db, to);
    });
  }
}

async function translatingRename(from: string, to: string, rename: () => Promise<unknown>): Promise<void> {
  try {
    await rename();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === NAMESPACE_EXISTS || from === to) throw nameTaken(to);
    throw code === NAMESPACE_NOT_FOUND ? noCollection(from) : error;
  }
}

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
