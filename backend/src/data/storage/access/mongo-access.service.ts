import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import { ApiError } from '../../../platform/common/errors.js';
import { MongoDatabasesService } from '../databases/mongo-databases.service.js';
import { READ } from '../mongodb/call-options.js';
import { collectionNameProblem } from '../mongodb/collection-names.js';
import { MongoConnectionService } from '../mongodb/mongo-connection.service.js';
import { MongoErrorsService } from '../mongodb/mongo-errors.service.js';
import { StorageUsageService } from '../usage/storage-usage.service.js';
import { hasPattern } from '../values/operators.js';

/** Time limit for queries that could take unlimited time for a single document. */
const PATTERN_MAX_TIME_MS = 2_000;

/** Returns read options with the time limit that fits this filter or pipeline. */
export const readFor = (query: unknown): { maxTimeMS: number } =>
  hasPattern(query) ? { maxTimeMS: PATTERN_MAX_TIME_MS } : READ;

/** Gives the API's routes access to a user's database: checks the owner, reserves storage, translates errors. */
@Injectable()
export class MongoAccessService {
  constructor(
    private readonly databases: MongoDatabasesService,
    private readonly connection: MongoConnectionService,
    private readonly usage: StorageUsageService,
    private readonly errors: MongoErrorsService,
  ) {}

  /** Reserves storage before a write. @throws {ApiError} 413 when the account's quota has no room for `bytes` more. */
  reserve(ownerId: string, bytes: number): Promise<void> {
    return this.usage.reserve(ownerId, bytes);
  }

  /**
   * Reserves storage for a write whose size is not known and must be estimated: see `estimate-growth.ts`.
   * @throws the same errors as `reserve`.
   */
  reserveEstimate(ownerId: string, estimate: (room: number) => Promise<number>): Promise<void> {
    return this.usage.reserveEstimate(ownerId, estimate);
  }

  /** Has the account's storage measured again. Call it after a deletion. */
  markChanged(ownerId: string): void {
    this.usage.markChanged(ownerId);
  }

  /**
   * Runs `work` on one of the owner's databases.
   * @param isRetrySafe whether the caller may send the same call again when its outcome is unknown.
   * @throws {ApiError} 403 for a shared database of another user, 404; 409, 422 or 503 when `work` fails.
   */
  async onDatabase<T>(
    ownerId: string,
    dbId: string,
    work: (db: mongo.Db) => Promise<T>,
    isRetrySafe = true,
  ): Promise<T> {
    const { dbName } = await this.databases.byId(ownerId, dbId);
    return this.errors.translate(async () => work(await this.connection.db(dbName)), isRetrySafe);
  }

  /**
   * Runs `work`, which only reads, on a database of the user or a shared one.
   * @throws {ApiError} 404 for a database that the user may not read; 422 or 503 when `work` fails.
   */
  async readDatabase<T>(userId: string, dbId: string, work: (db: mongo.Db) => Promise<T>): Promise<T> {
    const { dbName } = await this.databases.byId(userId, dbId, 'read');
    return this.errors.translate(async () => work(await this.connection.db(dbName)), true);
  }

  /** Does the same for one collection, which does not need to exist. @throws {ApiError} 400 for an invalid name. */
  async readCollection<T>(
    userId: string,
    dbId: string,
    name: string,
    work: (collection: mongo.Collection, db: mongo.Db) => Promise<T>,
  ): Promise<T> {
    checkCollectionName(name, 'collection');
    return this.readDatabase(userId, dbId, db => work(db.collection(name), db));
  }

  /**
   * Does the same as `onDatabase` for one collection, which does not need to exist.
   * @throws {ApiError} 400 for an invalid name.
   */
  async onCollection<T>(
    ownerId: string,
    dbId: string,
    name: string,
    work: (collection: mongo.Collection, db: mongo.Db) => Promise<T>,
    isRetrySafe?: boolean,
  ): Promise<T> {
    checkCollectionName(name, 'collection');
    return this.onDatabase(ownerId, dbId, db => work(db.collection(name), db), isRetrySafe);
  }
}

/** @throws {ApiError} 400 for an invalid name, with `field` as the faulty field. */
export function checkCollectionName(name: string, field: string): void {
  const problem = collectionNameProblem(name);
  if (problem) throw new ApiError('validation_failed', problem, [{ field, message: problem }]);
}
