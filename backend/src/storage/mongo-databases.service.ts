import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { entityFields } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { type List, type ListQuery, parseSort } from '../common/list-query.js';
import { listPage } from '../common/list-rows.js';
import { MongoDatabase } from './mongo-database.entity.js';
import type { MongoDatabaseDto } from './mongo-databases.dto.js';

const SORTABLE = ['created_at', 'updated_at', 'name'];
const CACHE_ENTRIES = 10_000;
const CACHE_MS = 60_000;

/** A database of a user, as the operations on its documents need it. */
export interface ResolvedDatabase {
  id: string;
  dbName: string;
}

@Injectable()
export class MongoDatabasesService {
  readonly #resolved = new Map<string, { database: ResolvedDatabase; until: number }>();

  constructor(@InjectRepository(MongoDatabase) private readonly databases: Repository<MongoDatabase>) {}

  /** Within the caller's transaction. */
  async create(ownerId: string, name: string, transaction: EntityManager): Promise<void> {
    const id = uuidv7();
    await transaction.insert(MongoDatabase, {
      id,
      owner_id: ownerId,
      name,
      db_name: `u_${id.replaceAll('-', '')}`,
    });
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
    const key = `${ownerId}:${name ?? ''}`;
    const cached = this.#resolved.get(key);
    if (cached && cached.until > Date.now()) return cached.database;
    const row = await this.databases.findOne({
      where: { owner_id: ownerId, ...(name === undefined ? {} : { name }) },
      order: { id: 'ASC' },
    });
    if (!row) {
      throw new ApiError(
        'not_found',
        name === undefined ? 'You have no database.' : `You have no database named ${name}.`,
      );
    }
    const database = { id: row.id, dbName: row.db_name };
    if (this.#resolved.size >= CACHE_ENTRIES) this.#resolved.clear();
    this.#resolved.set(key, { database, until: Date.now() + CACHE_MS });
    return database;
  }

  /** @throws {ApiError} 404, also for a database of another user. */
  async byId(ownerId: string, id: string): Promise<ResolvedDatabase> {
    const row = await this.databases.findOneBy({ id, owner_id: ownerId });
    if (!row) throw notFound('database', id);
    return { id: row.id, dbName: row.db_name };
  }
}

const toDto = (row: MongoDatabase): MongoDatabaseDto => ({ ...entityFields(row), name: row.name });
