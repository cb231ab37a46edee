import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { ApiError } from '../../../platform/common/errors.js';
import { type List } from '../../../platform/http/lists/list-query.js';
import { MongoAccessService } from '../access/mongo-access.service.js';
import { READ } from '../mongodb/call-options.js';
import { checkExists } from '../mongodb/existing-collection.js';
import { estimateIndexSize } from '../usage/estimate-growth.js';
import { invalid } from '../values/extended-json.js';
import { isKeyKind, type KeyKind, type MongoIndexDto, type NewMongoIndexDto } from './mongo-indexes.dto.js';

/** Limit for one collection, because every index makes each write slower. */
const MAX_INDEXES = 32;
const MAX_FIELDS = 16;
const BUILD_MS = 300_000;
/**
 * MongoDB's error codes for an index that conflicts with an existing one: same name, or same fields with other options.
 */
const CONFLICTS = new Set<unknown>([85, 86]);
const NAMESPACE_NOT_FOUND = 26;

@Injectable()
export class MongoIndexesService {
  constructor(private readonly access: MongoAccessService) {}

  async list(ownerId: string, dbId: string, collection: string): Promise<List<MongoIndexDto>> {
    return this.access.readCollection(ownerId, dbId, collection, async (found, db) => {
      await checkExists(db, collection);
      const items = await indexesOf(found);
      return { total: items.length, limit: MAX_INDEXES, skip: 0, items };
    });
  }

  /**
   * @throws {ApiError} 404; 409 `name_taken` when an index with this name or these fields exists; 409
   * `storage_duplicate_key` when documents have equal values in the fields of a unique index; 429 `quota_exceeded`.
   */
  async create(ownerId: string, dbId: string, collection: string, body: NewMongoIndexDto): Promise<MongoIndexDto> {
    const keys = keysOf(body.keys);
    if (body.expire_after_s !== undefined && Object.keys(keys).length > 1) {
      throw invalid('expire_after_s', 'is allowed only for an index of one field');
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
      await checkExists(db, collection);
      const before = await indexesOf(found);
      if (before.length >= MAX_INDEXES) {
        throw new ApiError(
          'quota_exceeded',
          `The collection has ${MAX_INDEXES} indexes, which is the limit. Delete one first.`,
        );
      }
      await this.access.reserveEstimate(ownerId, () =>
        estimateIndexSize({ collection: found, maxTimeMS: BUILD_MS }, keys),
      );
      const made = await found.createIndex(keys, options).catch(error => {
        throw CONFLICTS.has(error.code) ? taken(name ?? JSON.stringify(keys)) : error;
      });
      // MongoDB also succeeds if the index already existed.
      if (before.some(index => index.name === made)) throw taken(made);
      const index = (await indexesOf(found)).find(one => one.name === made);
      if (!index) throw noIndex(made);
      return index;
    });
  }

  /** @throws {ApiError} 404; 422 for the index of `_id`, which cannot be deleted. */
  async delete(ownerId: string, dbId: string, collection: string, name: string): Promise<DeletedDto> {
    return this.access.onCollection(ownerId, dbId, collection, async (found, db) => {
      await checkExists(db, collection);
      if (name === '_id_') throw new ApiError('storage_rejected', 'The index of _id cannot be deleted.');
      // Check the name first: `dropIndex` reports no error for an unknown name, and the name `*` would drop every
      // index.
      if (!(await indexesOf(found)).some(index => index.name === name)) throw noIndex(name);
      await found.dropIndex(name);
      this.access.markChanged(ownerId);
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
      throw invalid('keys', `${JSON.stringify(name.slice(0, 100))} is not a valid field name`);
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

/**
 * Reads the fields of an index. For a text index, `key` has `_fts` and `_ftsx` instead of the fields, which are in
 * `weights`.
 */
function keysIn(key: Record<string, unknown>, weights?: object): Record<string, KeyKind> {
  const fields = Object.entries(key).flatMap(([name, kind]): [string, KeyKind][] => {
    if (name === '_fts') return Object.keys(weights ?? {}).map(field => [field, 'text']);
    return name === '_ftsx' ? [] : [[name, kind as KeyKind]];
  });
  return Object.fromEntries(fields);
}

const noIndex = (name: string): ApiError =>
  new ApiError('not_found', `This collection has no index named ${name.slice(0, 100)}.`);

const taken = (name: string): ApiError =>
  new ApiError('name_taken', `This collection already has an index named ${name} or one with the same fields.`);
