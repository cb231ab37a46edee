import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { entityFields } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { type List, type ListQuery, parseSort } from '../common/list-query.js';
import { listPage } from '../common/list-rows.js';
import { isUniqueViolation } from '../common/unique-violation.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { MongoDatabase } from './mongo-database.entity.js';
import type { MongoDatabaseDto } from './mongo-databases.dto.js';

const SORTABLE = ['created_at', 'updated_at', 'name'];
const CACHE_ENTRIES = 10_000;
/** Other backends may have renamed or deleted it meanwhile. */
const CACHE_MS = 5_000;

/** A database of a user, as the operations on its documents need it. */
export interface ResolvedDatabase {
  id: string;
  dbName: string;
}

@Injectable()
export class MongoDatabasesService {
  readonly #resolved = new Map<string, { database: ResolvedDatabase; until: number }>();

  constructor(
    @InjectRepository(MongoDatabase) private readonly databases: Repository<MongoDatabase>,
    private readonly quotas: QuotasService,
  ) {}

  /** Within the caller's transaction. */
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
    const id = await named(name, () =>
      this.databases.manager.transaction(async transaction => {
        await this.quotas.roomForDatabase(transaction, ownerId);
        return this.create(ownerId, name, transaction);
      }),
    );
    this.#forget(ownerId);
    return toDto(await this.find(ownerId, id));
  }

  /**
   * Another word for the same database.
   * @throws {ApiError} 404, 409 `name_taken`.
   */
  async rename(ownerId: string, id: string, name: string): Promise<MongoDatabaseDto> {
    const database = await this.find(ownerId, id);
    if (name !== database.name) {
      await named(name, () =>
        this.databases.update({ id, owner_id: ownerId }, { name, updated_at: () => 'now()' } as object),
      );
      this.#forget(ownerId);
    }
    return toDto(await this.find(ownerId, id));
  }

  /**
   * Its row goes, and the note that its documents have to stays until they are gone for good; see `MongoDatabaseContentsService`.
   * @throws {ApiError} 404.
   */
  async delete(ownerId: string, id: string): Promise<void> {
    const gone = await this.databases.query<{ db_name: string }[]>(
      `WITH gone AS (DELETE FROM mongo_databases WHERE id = $1 AND owner_id = $2 RETURNING db_name)
       INSERT INTO mongo_drops (db_name) SELECT db_name FROM gone RETURNING db_name`,
      [id, ownerId],
    );
    if (gone.length === 0) throw notFound('database', id);
    this.#forget(ownerId);
  }

  async list(ownerId: string, query: ListQuery): Promise<List<MongoDatabaseDto>> {
    const rows = this.databases.createQueryBuilder('d').where('d.owner_id = :ownerId', { ownerId });
    return listPage(rows, query, parseSort(query.sort, SORTABLE), found => found.map(toDto));
  }

  /**
   * The database of that name, or the oldest one when no name is given.
   * @throws {ApiError} 404 when the owner has none.
   */
  async resolve(ownerId: string, name?: string): Promise<ResolvedDatabase> {
    return this.#remembered(`${ownerId}:name:${name ?? ''}`, async () => {
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
    return this.#remembered(`${ownerId}:${id}`, async () => this.find(ownerId, id));
  }

  /** @throws {ApiError} 404, also for a database of another user. */
  async find(ownerId: string, id: string): Promise<MongoDatabase> {
    const row = await this.databases.findOneBy({ id, owner_id: ownerId });
    if (!row) throw notFound('database', id);
    return row;
  }

  async #remembered(key: string, find: () => Promise<MongoDatabase>): Promise<ResolvedDatabase> {
    const cached = this.#resolved.get(key);
    if (cached && cached.until > Date.now()) return cached.database;
    const row = await find();
    const database = { id: row.id, dbName: row.db_name };
    if (this.#resolved.size >= CACHE_ENTRIES) this.#resolved.clear();
    this.#resolved.set(key, { database, until: Date.now() + CACHE_MS });
    return database;
  }

  #forget(ownerId: string): void {
    for (const key of this.#resolved.keys()) if (key.startsWith(`${ownerId}:`)) this.#resolved.delete(key);
  }
}

async function named<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ApiError('name_taken', `You have a database named ${name} already.`);
  }
}

export const toDto = (row: MongoDatabase): MongoDatabaseDto => ({ ...entityFields(row), name: row.name });
