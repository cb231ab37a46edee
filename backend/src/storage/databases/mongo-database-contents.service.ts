import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeletedDto } from '../../common/entity.js';
import { DueWork } from '../../database/due-work.service.js';
import { READ, WRITE } from '../mongodb/call-options.js';
import { CollectionLimitService } from '../mongodb/collection-limit.service.js';
import { MongoConnectionService } from '../mongodb/mongo-connection.service.js';
import { MongoErrorsService } from '../mongodb/mongo-errors.service.js';
import { StorageUsageService } from '../usage/storage-usage.service.js';
import type { MongoDatabaseDetailsDto, MongoDatabaseDto } from './mongo-databases.dto.js';
import {
  type CollectionDrop,
  findDueCollectionDrops,
  findDueDrops,
  removeCollectionDrop,
  removeDrop,
} from './mongo-databases.repository.js';
import { MongoDatabasesService, toDto } from './mongo-databases.service.js';

const SWEEP_MS = 60_000;

/** Measures the contents of users' databases in MongoDB, and drops them when a database is deleted. */
@Injectable()
export class MongoDatabaseContentsService implements OnModuleInit {
  readonly #log = new Logger(MongoDatabaseContentsService.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly databases: MongoDatabasesService,
    private readonly connection: MongoConnectionService,
    private readonly errors: MongoErrorsService,
    private readonly usage: StorageUsageService,
    private readonly collectionLimit: CollectionLimitService,
    private readonly dueWork: DueWork,
  ) {}

  onModuleInit(): void {
    this.dueWork.add('drops in MongoDB', { everyMs: SWEEP_MS, find: () => 'true', run: () => this.sweep() });
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, id: string): Promise<MongoDatabaseDetailsDto> {
    const row = await this.databases.readable(ownerId, id);
    const stats = await this.#stats(row.db_name);
    return { ...toDto(ownerId, row), ...stats };
  }

  /**
   * Deletes a database and its collections. Counts the documents first, so that the call fails if MongoDB is down.
   * @throws {ApiError} 404.
   */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    const { db_name } = await this.databases.find(ownerId, id);
    const { collections, documents } = await this.#stats(db_name);
    await this.databases.delete(ownerId, id);
    this.usage.markChanged(ownerId);
    // If the drop fails, `sweep` tries again later.
    await this.#drop(db_name).catch(error => this.#log.warn(`drop of a deleted database failed: ${error.message}`));
    return { deleted: { databases: 1, collections, documents } };
  }

  /**
   * Drops deleted databases a second time: a backend or run that still knew the name may have written to the database
   * after the first drop, which creates the database again. Also drops collections of deleted skripts.
   */
  async sweep(): Promise<void> {
    try {
      for (const dbName of await findDueDrops(this.dataSource)) {
        await this.#drop(dbName);
        await removeDrop(this.dataSource, dbName);
      }
      for (const drop of await findDueCollectionDrops(this.dataSource)) {
        if (drop.owner_id) await this.#dropCollection(drop.owner_id, drop);
        await removeCollectionDrop(this.dataSource, drop);
      }
    } catch (error) {
      this.#log.warn(`drop of deleted databases or collections failed; will retry: ${(error as Error).message}`);
    }
  }

  async #drop(dbName: string): Promise<void> {
    await (await this.connection.db(dbName)).dropDatabase(WRITE);
    this.collectionLimit.forget(dbName);
  }

  async #dropCollection(ownerId: string, { db_name, collection }: CollectionDrop): Promise<void> {
    const db = await this.connection.db(db_name);
    const [found] = await db.listCollections({ name: collection }, { ...READ, nameOnly: true }).toArray();
    if (!found) return;
    await db.dropCollection(collection, WRITE);
    this.collectionLimit.forget(db_name);
    this.usage.markChanged(ownerId);
  }

  #stats(dbName: string): Promise<Omit<MongoDatabaseDetailsDto, keyof MongoDatabaseDto>> {
    return this.errors.translate(async () => {
      const stats = await (await this.connection.db(dbName)).command({ dbStats: 1, ...READ });
      return {
        collections: Number(stats.collections),
        documents: Number(stats.objects),
        size: Number(stats.dataSize),
        storage_size: Number(stats.totalSize ?? stats.storageSize),
      };
    });
  }
}
