import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';
import { quotaExceeded } from '../quotas/quota-refusal.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { MongoConnectionService } from './mongo-connection.service.js';

const MEASURE_MS = 10_000;
const CACHE_MS = 10_000;
const CACHE_ENTRIES = 10_000;

interface Usage {
  /** 0: no limit. */
  limit: number;
  measured: number;
  /** What was sent to be stored since then. */
  added: number;
  until: number;
}

/**
 * How much the accounts store. What they write is measured behind, so that no write pays for it; until then what they
 * sent counts. Each backend measures for the accounts that wrote through it.
 */
@Injectable()
export class StorageUsageService {
  readonly #usages = new Map<string, Usage>();
  readonly #changed = new Set<string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly connection: MongoConnectionService,
    private readonly quotas: QuotasService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Before something is stored that may make the account's databases grow by so many bytes.
   * @throws {ApiError} 413 `payload_too_large`.
   */
  async grow(ownerId: string, bytes: number): Promise<void> {
    const usage = await this.#usageOf(ownerId);
    this.#changed.add(ownerId);
    const used = usage.measured + usage.added;
    if (bytes > 0 && usage.limit > 0 && used + bytes > usage.limit) {
      throw quotaExceeded({ quota: 'storage_bytes', limit: usage.limit, used });
    }
    usage.added += bytes;
  }

  /**
   * The same for what has to be looked up, which is not done for an account without a limit.
   * @param estimate gets the bytes that there is room for.
   */
  async growBy(ownerId: string, estimate: (room: number) => Promise<number>): Promise<void> {
    const { limit, measured, added } = await this.#usageOf(ownerId);
    await this.grow(ownerId, limit > 0 ? await estimate(Math.max(0, limit - measured - added)) : 0);
  }

  async #usageOf(ownerId: string): Promise<Usage> {
    let usage = this.#usages.get(ownerId);
    if (!usage || usage.until < Date.now()) {
      const { limit, used } = await this.quotas.storage(ownerId);
      usage = { limit, measured: used, added: usage?.added ?? 0, until: Date.now() + CACHE_MS };
      if (this.#usages.size >= CACHE_ENTRIES) this.#usages.clear();
      this.#usages.set(ownerId, usage);
    }
    return usage;
  }

  /** Something was deleted, or may have been. */
  changed(ownerId: string): void {
    this.#changed.add(ownerId);
  }

  @Interval(MEASURE_MS)
  async measureChanged(): Promise<void> {
    for (const ownerId of [...this.#changed]) {
      this.#changed.delete(ownerId);
      try {
        await this.#measure(ownerId);
      } catch (error) {
        this.#changed.add(ownerId);
        this.logger.warn({ err: error, user: ownerId }, 'the storage of an account could not be measured; tried again');
        return;
      }
    }
  }

  async #measure(ownerId: string): Promise<void> {
    const counted = this.#usages.get(ownerId)?.added ?? 0;
    const databases = await this.dataSource.query<{ db_name: string }[]>(
      'SELECT db_name FROM mongo_databases WHERE owner_id = $1',
      [ownerId],
    );
    let bytes = 0;
    for (const { db_name } of databases) {
      // Sizes of the data, not of the files: those keep the room of what was deleted.
      const { dataSize, indexSize } = await (await this.connection.db(db_name)).stats();
      bytes += Number(dataSize) + Number(indexSize);
    }
    await this.dataSource.query(
      `INSERT INTO storage_usage (owner_id, bytes) SELECT id, $2 FROM users WHERE id = $1
       ON CONFLICT (owner_id) DO UPDATE SET bytes = EXCLUDED.bytes, measured_at = now()`,
      [ownerId, Math.round(bytes)],
    );
    const usage = this.#usages.get(ownerId);
    if (!usage) return;
    usage.measured = bytes;
    // What was sent while it was measured may be in it or not.
    usage.added -= counted;
  }
}
