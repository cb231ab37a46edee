import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { JobKinds } from '../../../platform/jobs/job-kinds.service.js';
import { READ, WRITE } from '../mongodb/call-options.js';
import { CollectionLimitService } from '../mongodb/collection-limit.service.js';
import { MongoConnectionService } from '../mongodb/mongo-connection.service.js';
import { MongoErrorsService } from '../mongodb/mongo-errors.service.js';
import { StorageUsageService } from '../usage/storage-usage.service.js';
import type { MongoDatabaseDetailsDto, MongoDatabaseDto } from './mongo-databases.dto.js';
import { COLLECTION_DROP, type CollectionDrop, DATABASE_DROP, ownerOfDatabase } from './mongo-databases.repository.js';
import { MongoDatabasesService, toDto } from './mongo-databases.service.js';

/** For jobs that drop databases or collections. While MongoDB is down, they are retried. */
const DROPS = { deadlineMs: 10 * 60_000, perLane: 1, retrySeconds: () => 60 };

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
    private readonly kinds: JobKinds,
  ) {}

  onModuleInit(): void {
    // Deleted databases are dropped a second time: a backend or run that still knew the name may have written to the
    // database after the first drop, which creates the database again.
    this.kinds.registerPlatform<{ db_name: string }>(DATABASE_DROP, {
      ...DROPS,
      run: ({ params }) => this.#drop(params.db_name),
    });
    // Collections of deleted skripts.
    this.kinds.registerPlatform<CollectionDrop>(COLLECTION_DROP, {
      ...DROPS,
      run: ({ params }) => this.#dropCollection(params),
    });
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
    // If the drop fails, a job drops it later.
    await this.#drop(db_name).catch(error => this.#log.warn(`drop of a deleted database failed: ${error.message}`));
    return { deleted: { databases: 1, collections, documents } };
  }

  async #drop(dbName: string): Promise<void> {
    await (await this.connection.db(dbName)).dropDatabase(WRITE);
    this.collectionLimit.forget(dbName);
  }

  async #dropCollection({ db_name, collection }: CollectionDrop): Promise<void> {
    const ownerId = await ownerOfDatabase(this.dataSource, db_name);
    if (ownerId === undefined) return;
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
