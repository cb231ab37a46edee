import { Inject, Injectable } from '@nestjs/common';
import { QUOTA_NAMES, type QuotaName } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { type QuotaRefusal, quotaExceeded } from './quota-refusal.js';
import type { QuotaUsesDto } from './quotas.dto.js';

/**
 * How much an account may have. Each `roomFor…` belongs in the transaction that makes the thing, before it is made: with
 * room, the account is locked until that transaction ends, so that two at once cannot both have the last place. Who locks
 * a skript as well does so first.
 */
@Injectable()
export class QuotasService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws {ApiError} 429 `quota_exceeded`. */
  roomForSkript(transaction: EntityManager, ownerId: string): Promise<void> {
    return this.#check(transaction, ownerId, 'skripts');
  }

  /**
   * @param addedBytes by how much the files of the skript grow; with 0 or less there is always room.
   * @throws {ApiError} 413 `payload_too_large`.
   */
  roomForFiles(transaction: EntityManager, ownerId: string, addedBytes: number): Promise<void> {
    return this.#check(transaction, ownerId, 'file_bytes', addedBytes);
  }

  /**
   * For inputs and input secrets, `added` of them.
   * @throws {ApiError} 429 `quota_exceeded`.
   */
  roomForInput(transaction: EntityManager, ownerId: string, added = 1): Promise<void> {
    return this.#check(transaction, ownerId, 'inputs', added);
  }

  /** @throws {ApiError} 429 `quota_exceeded`. */
  roomForDatabase(transaction: EntityManager, ownerId: string): Promise<void> {
    return this.#check(transaction, ownerId, 'databases');
  }

  /** @throws {ApiError} 429 `quota_exceeded`. */
  roomForApiKey(transaction: EntityManager, ownerId: string): Promise<void> {
    return this.#check(transaction, ownerId, 'api_keys');
  }

  /** @throws {ApiError} 429 `quota_exceeded`. */
  roomForSchedule(transaction: EntityManager, ownerId: string): Promise<void> {
    return this.#check(transaction, ownerId, 'schedules');
  }

  /** What an account may have that has no limit of its own; 0 is no limit. For statements that look themselves. */
  defaultOf(quota: QuotaName): number {
    return this.config.quotas[quota];
  }

  /** Bytes; a limit of 0 is none. Of the databases as they were measured last. */
  async storage(ownerId: string): Promise<{ limit: number; used: number }> {
    const [row] = await this.dataSource.query<{ limit: string; used: string }[]>(
      `SELECT quota_limit(u, 'storage_bytes', $2) AS limit, quota_used(u.id, 'storage_bytes') AS used FROM users u WHERE u.id = $1`,
      [ownerId, this.config.quotas.storage_bytes],
    );
    return { limit: Number(row?.limit ?? 0), used: Number(row?.used ?? 0) };
  }

  async #check(transaction: EntityManager, ownerId: string, quota: QuotaName, added = 1): Promise<void> {
    if (added <= 0) return;
    const [row] = await transaction.query<{ refusal: QuotaRefusal | null }[]>(
      'SELECT quota_refusal($1, $2, $3, $4) AS refusal',
      [ownerId, quota, this.config.quotas[quota], added],
    );
    if (row?.refusal) throw quotaExceeded(row.refusal);
  }

  /** Every quota of an account, with what it has. */
  async uses(ownerId: string): Promise<QuotaUsesDto> {
    const rows = await this.dataSource.query<{ quota: QuotaName; limit: string; used: string }[]>(
      `SELECT q.quota, quota_limit(u, q.quota, q.by_default) AS limit, quota_used(u.id, q.quota) AS used
       FROM users u, unnest($2::text[], $3::bigint[]) AS q(quota, by_default) WHERE u.id = $1`,
      [ownerId, QUOTA_NAMES, QUOTA_NAMES.map(name => this.config.quotas[name])],
    );
    return Object.fromEntries(
      rows.map(({ quota, limit, used }) => [quota, { limit: Number(limit) || null, used: Number(used) }]),
    ) as unknown as QuotaUsesDto;
  }
}
