import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { SessionUser } from '../../../platform/auth/current-user.js';
import { entityFields } from '../../../platform/common/entity.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { isUniqueViolation } from '../../../platform/common/postgres-errors.js';
import { type List, type ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import { listPage } from '../../../platform/http/lists/list-rows.js';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import { MongoDatabase } from './mongo-database.entity.js';
import type { MongoDatabaseDto, UpdateMongoDatabaseDto } from './mongo-databases.dto.js';
import { deleteDatabase } from './mongo-databases.repository.js';

export const SORTABLE = ['created_at', 'updated_at', 'name'];
const MAX_CACHED = 10_000;
/** Short, because another backend may rename or delete the cached database. */
const CACHE_MS = 5_000;

/** A database that a user may read, and its name in MongoDB. */
export interface ResolvedDatabase {
  id: string;
  dbName: string;
  name: string;
  ownerId: string;
}

/** Whether a call reads or changes a database. Users may read databases that administrators share. */
export type DatabaseUse = 'read' | 'write';

/** Databases under the alias `d` that all accounts may read. */
const SHARED = `d.shared AND EXISTS (
  SELECT 1 FROM users u WHERE u.id = d.owner_id AND u.role = 'admin' AND u.disabled_at IS NULL)`;

@Injectable()
export class MongoDatabasesService {
  readonly #cache = new LRUCache<string, ResolvedDatabase>({ max: MAX_CACHED, ttl: CACHE_MS });

  constructor(
    @InjectRepository(MongoDatabase) private readonly databases: Repository<MongoDatabase>,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * Creates a database in the caller's transaction.
   * @returns its id.
   */
  async create(ownerId: string, name: string, transaction: EntityManager): Promise<string> {
    const id = uuidv7();
    await transaction.insert(MongoDatabase, {
      id,
      owner_id: ownerId,
      name,
      db_name: `u_${id.replaceAll('-', '')}`,
    });
    return id;
  }

  /** @throws {ApiError} 409 `name_taken`, 429 `quota_exceeded`. */
  async add(ownerId: string, name: string): Promise<MongoDatabaseDto> {
    const id = await translatingNameTaken(name, () =>
      this.databases.manager.transaction(async transaction => {
        await this.quotas.roomForDatabase(transaction, ownerId);
        return this.create(ownerId, name, transaction);
      }),
    );
    this.#forget(ownerId);
    return toDto(ownerId, await this.find(ownerId, id));
  }

  /**
   * Renames or shares the database. Its name in MongoDB does not change.
   * @throws {ApiError} 403 `forbidden` if a developer shares it, 404, 409 `name_taken`.
   */
  async update(
    { id: ownerId, role }: Pick<SessionUser, 'id' | 'role'>,
    id: string,
    { name, shared }: UpdateMongoDatabaseDto,
  ): Promise<MongoDatabaseDto> {
    const database = await this.find(ownerId, id);
    if (shared === true && role !== 'admin') {
      throw new ApiError('forbidden', 'Only administrators can share a database with all accounts.');
    }
    const changes = { name: name ?? database.name, shared: shared ?? database.shared };
    if (changes.name !== database.name || changes.shared !== database.shared) {
      await translatingNameTaken(changes.name, () =>
        this.databases.update({ id, owner_id: ownerId }, { ...changes, updated_at: () => 'now()' } as object),
      );
      // Other accounts may have it in their part of the cache.
      if (database.shared) this.#cache.clear();
      else this.#forget(ownerId);
    }
    return toDto(ownerId, await this.find(ownerId, id));
  }

  /**
   * Deletes the row and queues the deletion of the documents, which `MongoDatabaseContentsService` carries out.
   * @throws {ApiError} 404.
   */
  async delete(ownerId: string, id: string): Promise<void> {
    if (!(await deleteDatabase(this.databases.manager, ownerId, id))) throw notFound('database', id);
    this.#forget(ownerId);
  }

  /** Lists the databases of the owner, or those that administrators share. */
  async list(ownerId: string, { shared, ...query }: ListQuery & { shared?: boolean }): Promise<List<MongoDatabaseDto>> {
    const all = this.databases.createQueryBuilder('d');
    const rows = shared ? all.where(SHARED) : all.where('d.owner_id = :ownerId', { ownerId });
    return listPage(rows, query, parseSort(query.sort, SORTABLE), found => found.map(row => toDto(ownerId, row)));
  }

  /**
   * Finds the owner's database with this name, else a shared one; without a name, the owner's oldest database.
   * @throws {ApiError} 403 `forbidden` to write to a shared database, 404 if there is none.
   */
  async resolve(ownerId: string, name?: string, use: DatabaseUse = 'write'): Promise<ResolvedDatabase> {
    const database = await this.#throughCache(`${ownerId}:name:${name ?? ''}`, async () => {
      const row =
        (await this.databases.findOne({
          where: { owner_id: ownerId, ...(name === undefined ? {} : { name }) },
          order: { id: 'ASC' },
        })) ?? (name === undefined ? null : await this.#findShared('d.name = :value', name));
      if (row) return row;
      throw new ApiError(
        'not_found',
        name === undefined ? 'You have no database.' : `You have no database named ${name}.`,
      );
    });
    return checkUse(database, ownerId, use);
  }

  /** @throws {ApiError} 403 `forbidden` to write to a shared database, 404 for a database that the user may not read. */
  async byId(ownerId: string, id: string, use: DatabaseUse = 'write'): Promise<ResolvedDatabase> {
    const database = await this.#throughCache(`${ownerId}:${id}`, () => this.readable(ownerId, id));
    return checkUse(database, ownerId, use);
  }

  /** @throws {ApiError} 404 for a database that the user may not read. */
  async readable(ownerId: string, id: string): Promise<MongoDatabase> {
    const row =
      (await this.databases.findOneBy({ id, owner_id: ownerId })) ?? (await this.#findShared('d.id = :value', id));
    if (!row) throw notFound('database', id);
    return row;
  }

  #findShared(condition: string, value: string): Promise<MongoDatabase | null> {
    return this.databases.createQueryBuilder('d').where(SHARED).andWhere(condition, { value }).getOne();
  }

  /** @throws {ApiError} 404, also for a database of another user. */
  async find(ownerId: string, id: string): Promise<MongoDatabase> {
    const row = await this.databases.findOneBy({ id, owner_id: ownerId });
    if (!row) throw notFound('database', id);
    return row;
  }

  async #throughCache(key: string, find: () => Promise<MongoDatabase>): Promise<ResolvedDatabase> {
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const row = await find();
    const database = { id: row.id, dbName: row.db_name, name: row.name, ownerId: row.owner_id };
    this.#cache.set(key, database);
    return database;
  }

  #forget(ownerId: string): void {
    for (const key of [...this.#cache.keys()]) if (key.startsWith(`${ownerId}:`)) this.#cache.delete(key);
  }
}

async function translatingNameTaken<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    if (isUniqueViolation(error, 'mongo_databases_shared')) {
      throw new ApiError('name_taken', `A shared database named ${name} already exists. Choose another name.`);
    }
    throw new ApiError('name_taken', `You already have a database named ${name}. Choose another name.`);
  }
}

/** @throws {ApiError} 403 `forbidden`. */
function checkUse(database: ResolvedDatabase, userId: string, use: DatabaseUse): ResolvedDatabase {
  if (use === 'read' || database.ownerId === userId) return database;
  throw new ApiError(
    'forbidden',
    `The database ${database.name} is shared for reading only. Copy the documents to a database of your own to change them.`,
  );
}

export const toDto = (userId: string, row: MongoDatabase): MongoDatabaseDto => ({
  ...entityFields(row),
  name: row.name,
  shared: row.shared,
  read_only: row.owner_id !== userId,
});
