import { performance } from 'node:perf_hooks';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOGGER } from '../../../platform/common/logger.js';
import { DueWork } from '../../../platform/database/due-work.service.js';
import { quotaExceeded } from '../../../platform/quotas/quota-refusal.js';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import { MongoConnectionService } from '../mongodb/mongo-connection.service.js';

const MEASURE_MS = 10_000;
const CACHE_MS = 10_000;
const MAX_CACHED_ACCOUNTS = 10_000;

interface Usage {
  /** The account's quota in bytes; 0 means no limit. */
  limit: number;
  measured: number;
  /** Bytes reserved since the last measurement. */
  reserved: number;
  /** When to read limit and use again, by the process's own clock. */
  until: number;
}

/**
 * Tracks how many bytes each account stores. A timer measures the databases, so that no write waits for a measurement.
 * Between measurements, the reserved bytes are added. Each backend measures the accounts that wrote through it.
 */
@Injectable()
export class StorageUsageService implements OnModuleInit {
  /** Entries must not expire by `ttl`, because an old entry still holds the number of reserved bytes. */
  readonly #usages = new LRUCache<string, Usage>({ max: MAX_CACHED_ACCOUNTS });
  /** Accounts to measure. */
  readonly #changed = new Set<string>();
  readonly #meters: ((ownerId: string) => Promise<number>)[] = [];
  #isMeasuring = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly connection: MongoConnectionService,
    private readonly quotas: QuotasService,
    private readonly dueWork: DueWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.dueWork.add('use of storage', { everyMs: MEASURE_MS, find: () => 'true', run: () => this.measureRegularly() });
  }

  /**
   * Reserves `bytes` for a write that is about to happen.
   * @throws {ApiError} 413 `payload_too_large` when the quota has no room for them.
   */
  async reserve(ownerId: string, bytes: number): Promise<void> {
    const usage = await this.#usageOf(ownerId);
    this.#changed.add(ownerId);
    const used = usage.measured + usage.reserved;
    if (bytes > 0 && usage.limit > 0 && used + bytes > usage.limit) {
      throw quotaExceeded({ quota: 'storage_bytes', limit: usage.limit, used });
    }
    usage.reserved += bytes;
  }

  /**
   * Reserves the number of bytes that `estimate` returns. For accounts without a limit, `estimate` is not called.
   * @param estimate gets the number of free bytes of the quota.
   * @throws the same errors as `reserve`.
   */
  async reserveEstimate(ownerId: string, estimate: (room: number) => Promise<number>): Promise<void> {
    const { limit, measured, reserved } = await this.#usageOf(ownerId);
    await this.reserve(ownerId, limit > 0 ? await estimate(Math.max(0, limit - measured - reserved)) : 0);
  }

  /** Adds a function that returns the bytes which an account stores outside MongoDB. */
  addMeter(meter: (ownerId: string) => Promise<number>): void {
    this.#meters.push(meter);
  }

  /** Returns the account's quota in bytes (0 means no limit) and its use. */
  async room(ownerId: string): Promise<{ limit: number; used: number }> {
    const { limit, measured, reserved } = await this.#usageOf(ownerId);
    return { limit, used: measured + reserved };
  }

  async #usageOf(ownerId: string): Promise<Usage> {
    let usage = this.#usages.get(ownerId);
    if (!usage || usage.until < performance.now()) {
      const { limit, used } = await this.quotas.storage(ownerId);
      usage = { limit, measured: used, reserved: usage?.reserved ?? 0, until: performance.now() + CACHE_MS };
      this.#usages.set(ownerId, usage);
    }
    return usage;
  }

  /** Has the account measured soon. Call it for example after a deletion. */
  markChanged(ownerId: string): void {
    this.#changed.add(ownerId);
  }

  async measureRegularly(): Promise<void> {
    // While a database is unreachable, a round may take longer than the interval.
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    try {
      await this.measureChanged();
    } finally {
      this.#isMeasuring = false;
    }
  }

  async measureChanged(): Promise<void> {
    const failures: unknown[] = [];
    for (const ownerId of [...this.#changed]) {
      this.#changed.delete(ownerId);
      try {
        await this.#measure(ownerId);
      } catch (error) {
        this.#changed.add(ownerId);
        failures.push(error);
      }
    }
    if (failures.length > 0) {
      const [err] = failures;
      this.logger.warn({ err, accounts: failures.length }, 'storage measurement failed; will retry');
    }
  }

  async #measure(ownerId: string): Promise<void> {
    const counted = this.#usages.get(ownerId)?.reserved ?? 0;
    const databases = await this.dataSource.query<{ db_name: string }[]>(
      'SELECT db_name FROM mongo_databases WHERE owner_id = $1',
      [ownerId],
    );
    let bytes = 0;
    for (const { db_name } of databases) {
      // Use the data size, not the file size: after a deletion, files keep their size.
      const { dataSize, indexSize } = await (await this.connection.db(db_name)).stats();
      bytes += Number(dataSize) + Number(indexSize);
    }
    for (const meter of this.#meters) bytes += await meter(ownerId);
    await this.dataSource.query('SELECT save_storage_usage($1, $2, $3)', [
      ownerId,
      Math.round(bytes),
      this.quotas.defaultOf('storage_bytes'),
    ]);
    const usage = this.#usages.get(ownerId);
    if (!usage) return;
    usage.measured = bytes;
    // Subtract only the reservations from before the measurement. It may have missed the writes of later ones.
    usage.reserved -= counted;
  }
}
