import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { quotaExceeded } from '../../../platform/quotas/quota-refusal.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { StorageUsageService } from '../../storage/usage/storage-usage.service.js';
import { findDatabase, saveSize } from '../databases/postgres-databases.repository.js';
import { UserServerService } from '../server/user-server.service.js';

const MAX_CACHED_ACCOUNTS = 10_000;
/** How much larger a full database may become by statements that should make it smaller. Deleting writes a little, too. */
const SLACK_BYTES = 4 * 1024 * 1024;
/** Time after which an account that has used this slack may delete rows again. */
const SLACK_MS = 10 * 60_000;

/** Counts the PostgreSQL database of an account in the account's quota of storage. */
@Injectable()
export class PostgresUsageService implements OnModuleInit {
  /** Databases with their sizes at the last measurement, by owner. */
  readonly #measured = new LRUCache<string, { name: string; bytes: number }>({ max: MAX_CACHED_ACCOUNTS });
  /** Bytes by which databases have grown over the quota, by owner. */
  readonly #grown = new LRUCache<string, number>({ max: MAX_CACHED_ACCOUNTS, ttl: SLACK_MS });

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
    const database = this.#measured.get(ownerId) ?? (await findDatabase(this.dataSource, ownerId));
    if (!database) return async () => null;
    const elsewhere = Math.max(0, used - database.bytes);
    return async () => {
      const bytes = await this.server.sizeOf(database.name);
      return elsewhere + bytes > limit ? full(limit, elsewhere + bytes) : null;
    };
  }

  /**
   * Does what `growthCheck` does for statements that only read: in a read-only transaction, `EXPLAIN ANALYZE CREATE TABLE … AS`
   * fills the disk until it is rolled back. Costs nothing before its first call.
   */
  readingCheck(ownerId: string): () => Promise<StorageFailure | null> {
    let check: Promise<() => Promise<StorageFailure | null>> | undefined;
    return async () => {
      check ??= this.#startReading(ownerId);
      return (await check)();
    };
  }

  /** An account above its quota may still read, so only what is added from now on counts. */
  async #startReading(ownerId: string): Promise<() => Promise<StorageFailure | null>> {
    const [row, check] = await Promise.all([findDatabase(this.dataSource, ownerId), this.growthCheck(ownerId)]);
    if (!row) return check;
    const before = await this.server.sizeOf(row.name);
    return async () => {
      const failure = await check();
      return failure && (await this.server.sizeOf(row.name)) - before > SLACK_BYTES ? failure : null;
    };
  }

  /**
   * Does what `growthCheck` does for a statement that should make a database smaller. Triggers of the user could insert
   * while rows are deleted.
   * @throws {StorageFailure} if such statements have made the database much larger.
   */
  async shrinkCheck(ownerId: string, fullness: StorageFailure): Promise<() => Promise<StorageFailure | null>> {
    const row = await findDatabase(this.dataSource, ownerId);
    if (!row) return async () => null;
    const grown = this.#grown.get(ownerId) ?? 0;
    if (grown > SLACK_BYTES) throw hasGrown();
    const before = await this.server.sizeOf(row.name);
    return async () => {
      const growth = Math.max(0, (await this.server.sizeOf(row.name)) - before);
      if (growth === 0) return null;
      this.#grown.set(ownerId, Math.max(grown + growth, this.#grown.get(ownerId) ?? 0));
      return grown + growth > SLACK_BYTES ? fullness : null;
    };
  }

  /** Has the account measured soon. Call it after each call that may have written. */
  markChanged(ownerId: string): void {
    this.usage.markChanged(ownerId);
  }

  async #measure(ownerId: string): Promise<number> {
    const row = await findDatabase(this.dataSource, ownerId);
    if (!row?.ready) return 0;
    // Measuring must not start a server, because most accounts that write to MongoDB do not use PostgreSQL.
    if (!(await this.server.isAwake(row.name))) return row.bytes;
    const bytes = await this.server.sizeOf(row.name);
    await saveSize(this.dataSource, ownerId, bytes);
    this.#measured.set(ownerId, { name: row.name, bytes });
    return bytes;
  }
}

const hasGrown = (): StorageFailure =>
  new StorageFailure(
    'storage_full',
    'Your storage is full, and your last DELETE or TRUNCATE statements made the database larger. Use DROP or VACUUM, or wait 10 minutes.',
  );

const full = (limit: number, used: number): StorageFailure =>
  new StorageFailure(
    'storage_full',
    `${quotaExceeded({ quota: 'storage_bytes', limit, used }).message} DELETE, TRUNCATE, DROP and VACUUM still work.`,
  );
