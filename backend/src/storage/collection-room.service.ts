import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import { ApiError } from '../common/errors.js';
import { collectionNameProblem } from './collection-names.js';
import { READ } from './mongo-access.service.js';

/** Each is a few files that the database server holds open. */
export const MAX_COLLECTIONS = 1_000;
/** Other backends may have dropped some meanwhile. */
const KNOWN_MS = 60_000;
const KNOWN_DATABASES = 1_000;

/**
 * MongoDB makes a collection with the first document for it. So that a database has no more of them than it may, a write
 * to one that is not known to be there makes it first, one write of a database after the other.
 */
@Injectable()
export class CollectionRoomService {
  readonly #known = new Map<string, { names: Set<string>; until: number }>();
  /** The last that looks for room, by database. */
  readonly #looking = new Map<string, Promise<unknown>>();

  /** Before a write that would make the collection. @throws {ApiError} 429 `quota_exceeded`. */
  async ensure(db: mongo.Db, name: string): Promise<void> {
    if (!this.#knows(db, name)) await this.#inTurn(db, () => this.#make(db, name, false));
  }

  /** @throws {ApiError} 409 `name_taken`, 429 `quota_exceeded`. */
  create(db: mongo.Db, name: string): Promise<void> {
    return this.#inTurn(db, () => this.#make(db, name, true));
  }

  /** Collections of the database were dropped or renamed. */
  forget(dbName: string): void {
    this.#known.delete(dbName);
  }

  async #make(db: mongo.Db, name: string, isNew: boolean): Promise<void> {
    if (!isNew && this.#knows(db, name)) return;
    const names = await collectionsIn(db);
    if (!names.includes(name)) {
      if (names.length >= MAX_COLLECTIONS) throw noRoom(names.length);
      await db.createCollection(name);
    } else if (isNew) {
      throw nameTaken(name);
    }
    if (this.#known.size >= KNOWN_DATABASES) this.#known.clear();
    this.#known.set(db.databaseName, { names: new Set([...names, name]), until: Date.now() + KNOWN_MS });
  }

  #knows({ databaseName }: mongo.Db, name: string): boolean {
    const known = this.#known.get(databaseName);
    return known !== undefined && known.until > Date.now() && known.names.has(name);
  }

  #inTurn({ databaseName }: mongo.Db, work: () => Promise<void>): Promise<void> {
    const before = this.#looking.get(databaseName) ?? Promise.resolve();
    const done = before
      .catch(() => undefined)
      .then(work)
      .finally(() => {
        if (this.#looking.get(databaseName) === done) this.#looking.delete(databaseName);
      });
    this.#looking.set(databaseName, done);
    return done;
  }
}

/** The names of all collections of a user's. */
export async function collectionsIn(db: mongo.Db): Promise<string[]> {
  const found = await db.listCollections({ type: 'collection' }, { ...READ, nameOnly: true }).toArray();
  return found.map(({ name }) => name).filter(name => collectionNameProblem(name) === null);
}

export const nameTaken = (name: string): ApiError =>
  new ApiError('name_taken', `There is already a collection named ${name} in this database.`);

const noRoom = (count: number): ApiError =>
  new ApiError(
    'quota_exceeded',
    `The database has ${count} collections, and ${MAX_COLLECTIONS} are the most it may have. Drop one first.`,
  );
