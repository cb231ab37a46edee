import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { quotaExceeded } from '../../quotas/quota-refusal.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { StorageUsageService } from '../../storage/usage/storage-usage.service.js';
import { findDatabase, saveSize } from '../databases/postgres-databases.repository.js';
import { UserServerService } from '../server/user-server.service.js';

const MAX_CACHED_ACCOUNTS = 10_000;

/** Counts the PostgreSQL database of an account in the account's quota of storage. */
@Injectable()
export class PostgresUsageService implements OnModuleInit {
  /** Sizes at the last measurement, by owner. */
  readonly #measured = new LRUCache<string, number>({ max: MAX_CACHED_ACCOUNTS });

  constructor(
    private readonly dataSource: DataSource,
    private readonly server: UserServerService,
    private readonly usage: StorageUsageService,
  ) {}

  onModuleInit(): void {
    this.usage.addMeter(ownerId => this.#measure(ownerId));
  }

  /** Returns null if the account may write, otherwise the failure for a write. */
  async fullness(ownerId: string): Promise<StorageFailure | null> {
    const { limit, used } = await this.usage.room(ownerId);
    return limit > 0 && used >= limit ? full(limit, used) : null;
  }

  /** Returns a function that resolves to the failure for a database that has outgrown the quota, otherwise to null. */
  async growthCheck(ownerId: string): Promise<() => Promise<StorageFailure | null>> {
    const { limit, used } = await this.usage.room(ownerId);
    if (limit === 0) return async () => null;
    const row = await findDatabase(this.dataSource, ownerId);
    if (!row) return async () => null;
    const elsewhere = Math.max(0, used - (this.#measured.get(ownerId) ?? row.bytes));
    return async () => {
      const bytes = await this.server.sizeOf(row.name);
      return elsewhere + bytes > limit ? full(limit, elsewhere + bytes) : null;
    };
  }

  /** Has the account measured soon. Call it after each call that may have written. */
  markChanged(ownerId: string): void {
    this.usage.markChanged(ownerId);
  }

  async #measure(ownerId: string): Promise<number> {
    const row = await findDatabase(this.dataSource, ownerId);
    if (!row?.ready) return 0;
    // Measuring must not start the server, because most accounts that write to MongoDB do not use PostgreSQL.
    if (!this.server.isStarted) return row.bytes;
    const bytes = await this.server.sizeOf(row.name);
    await saveSize(this.dataSource, ownerId, bytes);
    this.#measured.set(ownerId, bytes);
    return bytes;
  }
}

const full = (limit: number, used: number): StorageFailure =>
  new StorageFailure(
    'storage_full',
    `${quotaExceeded({ quota: 'storage_bytes', limit, used }).message} DELETE, TRUNCATE, DROP and VACUUM still work.`,
  );
