import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { DeletedDto } from '../common/entity.js';
import { CollectionRoomService } from './collection-room.service.js';
import { MongoAccessService, READ, WRITE } from './mongo-access.service.js';
import { MongoConnectionService } from './mongo-connection.service.js';
import type { MongoDatabaseDetailsDto } from './mongo-databases.dto.js';
import { MongoDatabasesService, toDto } from './mongo-databases.service.js';

const SWEEP_MS = 60_000;

/** Databases as MongoDB has them: how large they are, and that deleted ones are gone. */
@Injectable()
export class MongoDatabaseContentsService {
  readonly #log = new Logger(MongoDatabaseContentsService.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly databases: MongoDatabasesService,
    private readonly connection: MongoConnectionService,
    private readonly access: MongoAccessService,
    private readonly room: CollectionRoomService,
  ) {}

  /** @throws {ApiError} 404. */
  async get(ownerId: string, id: string): Promise<MongoDatabaseDetailsDto> {
    const row = await this.databases.find(ownerId, id);
    const stats = await this.#stats(row.db_name);
    return { ...toDto(row), ...stats };
  }

  /**
   * With all that is in it. It counts first, so that nothing is deleted while MongoDB is away.
   * @throws {ApiError} 404.
   */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    const { db_name } = await this.databases.find(ownerId, id);
    const { collections, documents } = await this.#stats(db_name);
    await this.databases.delete(ownerId, id);
    this.access.shrunk(ownerId);
    // What fails now is done by the sweep.
    await this.#drop(db_name).catch(error => this.#log.warn(`a deleted database is not dropped yet: ${error.message}`));
    return { deleted: { databases: 1, collections, documents } };
  }

  /**
   * Deleted databases are dropped once more, later: a backend or a run that still had the database at hand may have
   * written to it meanwhile, which makes it anew.
   */
  @Interval(SWEEP_MS)
  async sweep(now = new Date()): Promise<void> {
    try {
      const due = await this.dataSource.query<{ db_name: string }[]>(
        `SELECT db_name FROM mongo_drops WHERE deleted_at < $1::timestamptz - interval '2 minutes' LIMIT 100`,
        [now],
      );
      for (const { db_name } of due) {
        await this.#drop(db_name);
        await this.dataSource.query('DELETE FROM mongo_drops WHERE db_name = $1', [db_name]);
      }
    } catch (error) {
      this.#log.warn(`deleted databases could not be dropped, tried again soon: ${(error as Error).message}`);
    }
  }

  async #drop(dbName: string): Promise<void> {
    await (await this.connection.db(dbName)).dropDatabase(WRITE);
    this.room.forget(dbName);
  }

  #stats(dbName: string): Promise<Omit<MongoDatabaseDetailsDto, 'id' | 'name' | 'created_at' | 'updated_at'>> {
    return this.access.guarded(async () => {
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
