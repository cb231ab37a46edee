import { Inject, Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import type { Logger } from 'pino';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { collectionNameProblem } from './collection-names.js';
import { MongoConnectionService } from './mongo-connection.service.js';
import { MongoDatabasesService } from './mongo-databases.service.js';
import { hasPattern } from './operators.js';
import { type StorageFailure, toStorageFailure } from './storage-failures.js';
import { StorageUsageService } from './storage-usage.service.js';

/** How long MongoDB may work for one call. */
export const MAX_TIME_MS = 10_000;
/** The same for what may keep it busy with a single document. */
const PATTERN_MAX_TIME_MS = 2_000;
export const READ = { maxTimeMS: MAX_TIME_MS } as const;
export const WRITE = { writeConcern: { w: 1, journal: true }, maxTimeMS: MAX_TIME_MS } as const;

/** `READ` for a call with that filter or pipeline. */
export const readFor = (query: unknown): { maxTimeMS: number } =>
  hasPattern(query) ? { maxTimeMS: PATTERN_MAX_TIME_MS } : READ;

/** Whether a call may be sent again when its connection broke before the answer came. */
export type Repetition = 'harmless' | 'twice_is_different';

/** The way of the API's routes to a user's database: whose it is, and what a failure means to whoever called. */
@Injectable()
export class MongoAccessService {
  constructor(
    private readonly databases: MongoDatabasesService,
    private readonly connection: MongoConnectionService,
    private readonly usage: StorageUsageService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Before something is stored. @throws {ApiError} 413 when the account has no room for so many bytes more. */
  grow(ownerId: string, bytes: number): Promise<void> {
    return this.usage.grow(ownerId, bytes);
  }

  /** The same for what has to be looked up first: see `growth.ts`. */
  growBy(ownerId: string, estimate: (room: number) => Promise<number>): Promise<void> {
    return this.usage.growBy(ownerId, estimate);
  }

  /** After something was deleted: there is room again, once it is measured. */
  shrunk(ownerId: string): void {
    this.usage.changed(ownerId);
  }

  /** @throws {ApiError} 404 for a database of another user; what `work` failed with as 409, 422 or 503. */
  async onDatabase<T>(
    ownerId: string,
    dbId: string,
    work: (db: mongo.Db) => Promise<T>,
    repetition: Repetition = 'harmless',
  ): Promise<T> {
    const { dbName } = await this.databases.byId(ownerId, dbId);
    return this.guarded(async () => work(await this.connection.db(dbName)), repetition);
  }

  /** The same for one collection, which need not be there. @throws {ApiError} 400 for a name that none can have. */
  async onCollection<T>(
    ownerId: string,
    dbId: string,
    name: string,
    work: (collection: mongo.Collection, db: mongo.Db) => Promise<T>,
    repetition?: Repetition,
  ): Promise<T> {
    checkCollectionName(name, 'collection');
    return this.onDatabase(ownerId, dbId, db => work(db.collection(name), db), repetition);
  }

  /** `work` with MongoDB, its failures as errors for whoever called. */
  async guarded<T>(work: () => Promise<T>, repetition: Repetition = 'harmless'): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const failure = toStorageFailure(error, repetition === 'harmless');
      if (!failure) throw error;
      // Its words have values of the user's documents in them.
      const { code, codeName } = error as { code?: unknown; codeName?: unknown };
      this.logger.debug({ failure: failure.code, code, codeName }, 'MongoDB refused a call');
      throw toApiError(failure);
    }
  }
}

function toApiError({ code, message }: StorageFailure): ApiError {
  switch (code) {
    case 'storage_unavailable':
      return new ApiError(code, `${message} Try again in a few seconds.`);
    case 'storage_duplicate_key':
    case 'storage_outcome_unknown':
      return new ApiError(code, message);
    default:
      return new ApiError('storage_rejected', message);
  }
}

/** @throws {ApiError} 400 naming the field. */
export function checkCollectionName(name: string, field: string): void {
  const problem = collectionNameProblem(name);
  if (problem) throw new ApiError('validation_failed', problem, [{ field, message: problem }]);
}
