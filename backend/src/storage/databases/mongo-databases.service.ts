import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { entityFields } from '../../common/entity.js';
import { ApiError, notFound } from '../../common/errors.js';
import { isUniqueViolation } from '../../common/postgres-errors.js';
import { type List, type ListQuery, parseSort } from '../../http/lists/list-query.js';
import { listPage } from '../../http/lists/list-rows.js';
import { QuotasService } from '../../quotas/quotas.service.js';
import { MongoDatabase } from './mongo-database.entity.js';
import type { MongoDatabaseDto } from './mongo-databases.dto.js';
import { deleteDatabase } from './mongo-databases.repository.js';

export const SORTABLE = ['created_at', 'updated_at', 'name'];
const MAX_CACHED = 10_000;
/** Short, because another backend may rename or delete the cached database. */
const CACHE_MS = 5_000;

/** A user's database, and its name in MongoDB. */
export interface ResolvedDatabase {
  id: string;
  dbName: string;
}

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
    return toDto(await this.find(ownerId, id));
  }

  /**
   * Renames the database for the user. Its name in MongoDB does not change.
   * @throws {ApiError} 404, 409 `name_taken`.
   */
  async rename(ownerId: string, id: string, name: string): Promise<MongoDatabaseDto> {
    const database = await this.find(ownerId, id);
    if (name !== database.name) {
      await translatingNameTaken(name, () =>
        this.databases.update({ id, owner_id: ownerId }, { name, updated_at: () => 'now()' } as object),
      );
      this.#forget(ownerId);
    }
    return toDto(await this.find(ownerId, id));
  }

  /**
   * Deletes the row and queues the deletion of the documents, which `MongoDatabaseContentsService` carries out.
   * @throws {ApiError} 404.
   */
  async delete(ownerId: string, id: string): Promise<void> {
    if (!(await deleteDatabase(this.databases.manager, ownerId, id))) throw notFound('database', id);
    this.#forget(ownerId);
  }

  async list(ownerId: string, query: ListQuery): Promise<List<MongoDatabaseDto>> {
    const rows = this.databases.createQueryBuilder('d').where('d.owner_id = :ownerId', { ownerId });
    return listPage(rows, query, parseSort(query.sort, SORTABLE), found => found.map(toDto));
  }

  /**
   * Finds the owner's database with this name, or the owner's oldest database if no name is given.
   * @throws {ApiError} 404 if there is none.
   */
  async resolve(ownerId: string, name?: string): Promise<ResolvedDatabase> {
    return this.#throughCache(`${ownerId}:name:${name ?? ''}`, async () => {
      const row = await this.databases.findOne({
        where: { owner_id: ownerId, ...(name === undefined ? {} : { name }) },
        order: { id: 'ASC' },
      });
      if (row) return row;
      throw new ApiError(
        'not_found',
        name === undefined ? 'You have no database.' : `You have no database named ${name}.`,
      );
    });
  }

  /** @throws {ApiError} 404, also for a database of another user. */
  async byId(ownerId: string, id: string): Promise<ResolvedDatabase> {
    return this.#throughCache(`${ownerId}:${id}`, async () => this.find(ownerId, id));
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
    const database = { id: row.id, dbName: row.db_name };
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
    throw new ApiError('name_taken', `You already have a database named ${name}. Choose another name.`);
  }
}

export const toDto = (row: MongoDatabase): MongoDatabaseDto => ({ ...entityFields(row), name: row.name });
