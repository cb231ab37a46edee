import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import type { DeletedDto } from '../common/entity.js';
import { ApiError } from '../common/errors.js';
import { type List } from '../common/list-query.js';
import { invalid } from './extended-json.js';
import { growthByIndex } from './growth.js';
import { MongoAccessService, READ } from './mongo-access.service.js';
import { isKeyKind, type KeyKind, type MongoIndexDto, type NewMongoIndexDto } from './mongo-collections.dto.js';
import { checkIsThere } from './mongo-collections.service.js';

/** Each makes every write slower. */
const MAX_INDEXES = 32;
const MAX_FIELDS = 16;
const BUILD_MS = 300_000;
/** Options or name of another index. */
const CONFLICTS = new Set<unknown>([85, 86]);
const NAMESPACE_NOT_FOUND = 26;

@Injectable()
export class MongoIndexesService {
  constructor(private readonly access: MongoAccessService) {}

  async list(ownerId: string, dbId: string, collection: string): Promise<List<MongoIndexDto>> {
    return this.access.onCollection(ownerId, dbId, collection, async (found, db) => {
      await checkIsThere(db, collection);
      const items = await indexesOf(found);
      return { total: items.length, limit: MAX_INDEXES, skip: 0, items };
    });
  }

  /**
   * @throws {ApiError} 404, 409 `name_taken` for a name or fields that an index has already, 409 `storage_duplicate_key`
   * when documents have the same values, 429 `quota_exceeded`.
   */
  async create(ownerId: string, dbId: string, collection: string, body: NewMongoIndexDto): Promise<MongoIndexDto> {
    const keys = keysOf(body.keys);
    if (body.expire_after_s !== undefined && Object.keys(keys).length > 1) {
      throw invalid('expire_after_s', 'stands only with an index of one field');
    }
    const { name, unique, sparse, expire_after_s } = body;
    const options: mongo.CreateIndexesOptions = {
      maxTimeMS: BUILD_MS,
      ...(name === undefined ? {} : { name }),
      ...(unique ? { unique } : {}),
      ...(sparse ? { sparse } : {}),
      ...(expire_after_s === undefined ? {} : { expireAfterSeconds: expire_after_s }),
    };
    return this.access.onCollection(ownerId, dbId, collection, async (found, db) => {
      await checkIsThere(db, collection);
      const before = await indexesOf(found);
      if (before.length >= MAX_INDEXES) {
        throw new ApiError('quota_exceeded', `A collection may have ${MAX_INDEXES} indexes. Delete one first.`);
      }
      await this.access.growBy(ownerId, () => growthByIndex({ collection: found, maxTimeMS: BUILD_MS }, keys));
      const made = await found.createIndex(keys, options).catch(error => {
        throw CONFLICTS.has(error.code) ? taken(name ?? JSON.stringify(keys)) : error;
      });
      // MongoDB answers the same whether it made the index or had it.
      if (before.some(index => index.name === made)) throw taken(made);
      const index = (await indexesOf(found)).find(one => one.name === made);
      if (!index) throw noIndex(made);
      return index;
    });
  }

  /** @throws {ApiError} 404, 422 for the index of `_id`. */
  async delete(ownerId: string, dbId: string, collection: string, name: string): Promise<DeletedDto> {
    return this.access.onCollection(ownerId, dbId, collection, async (found, db) => {
      await checkIsThere(db, collection);
      if (name === '_id_') throw new ApiError('storage_rejected', 'The index of _id cannot be deleted.');
      // MongoDB deletes no index, and all of them, without a word.
      if (!(await indexesOf(found)).some(index => index.name === name)) throw noIndex(name);
      await found.dropIndex(name);
      this.access.shrunk(ownerId);
      return { deleted: { indexes: 1 } };
    });
  }
}

function keysOf(keys: unknown): Record<string, KeyKind> {
  if (keys === null || typeof keys !== 'object' || Array.isArray(keys)) throw invalid('keys', 'must be an object');
  const entries = Object.entries(keys);
  if (entries.length < 1 || entries.length > MAX_FIELDS) throw invalid('keys', `must name 1 to ${MAX_FIELDS} fields`);
  for (const [name, kind] of entries) {
    if (name === '__proto__' || name.startsWith('$') || name.includes('\0') || name.split('.').includes('')) {
      throw invalid('keys', `${JSON.stringify(name.slice(0, 100))} is not the name of a field`);
    }
    if (!isKeyKind(kind)) throw invalid(`keys.${name}`, 'must be 1, -1, "text", "2dsphere" or "hashed"');
  }
  return keys as Record<string, KeyKind>;
}

async function indexesOf(collection: mongo.Collection): Promise<MongoIndexDto[]> {
  try {
    return (await collection.indexes(READ)).map(toDto);
  } catch (error) {
    if ((error as { code?: unknown }).code === NAMESPACE_NOT_FOUND) return [];
    throw error;
  }
}

const toDto = ({
  name,
  key,
  unique,
  sparse,
  expireAfterSeconds,
  weights,
}: mongo.IndexDescriptionInfo): MongoIndexDto => ({
  name: String(name),
  keys: keysIn(key, weights),
  unique: unique === true || name === '_id_',
  sparse: sparse === true,
  ...(expireAfterSeconds === undefined ? {} : { expire_after_s: expireAfterSeconds }),
});

/** MongoDB keeps the fields of a text index as its weights, and two names of its own in their place. */
function keysIn(key: Record<string, unknown>, weights?: object): Record<string, KeyKind> {
  const fields = Object.entries(key).flatMap(([name, kind]): [string, KeyKind][] => {
    if (name === '_fts') return Object.keys(weights ?? {}).map(field => [field, 'text']);
    return name === '_ftsx' ? [] : [[name, kind as KeyKind]];
  });
  return Object.fromEntries(fields);
}

const noIndex = (name: string): ApiError =>
  new ApiError('not_found', `There is no index named ${name.slice(0, 100)} in this collection.`);

const taken = (name: string): ApiError =>
  new ApiError('name_taken', `There is already an index named ${name}, or one of the same fields.`);
