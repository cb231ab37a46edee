import { Inject, Injectable } from '@nestjs/common';
import { QUOTA_NAMES, type QuotaName } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { type QuotaRefusal, quotaExceeded } from './quota-refusal.js';
import type { QuotaUsesDto } from './quotas.dto.js';

/**
 * Enforces the quotas of accounts. Before creating something, call its `roomFor…` method in the same transaction. The
 * method locks the account until the transaction ends, so that two concurrent calls cannot both take the last place. If
 * the transaction also locks skripts, it must lock them before.
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
   * @param addedBytes growth of the skript's files; 0 or less always fits.
   * @throws {ApiError} 413 `payload_too_large`.
   */
  roomForFiles(transaction: EntityManager, ownerId: string, addedBytes: number): Promise<void> {
    return this.#check(transaction, ownerId, 'file_bytes', addedBytes);
  }

  /**
   * @param added number of inputs, input secrets and sessions.
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

  /** @throws {ApiError} 429 `quota_exceeded`. */
  roomForWebhook(transaction: EntityManager, ownerId: string): Promise<void> {
    return this.#check(transaction, ownerId, 'webhooks');
  }

  /**
   * @param added number of proxies and pools of proxies.
   * @throws {ApiError} 429 `quota_exceeded`.
   */
  roomForProxies(transaction: EntityManager, ownerId: string, added = 1): Promise<void> {
    return this.#check(transaction, ownerId, 'proxies', added);
  }

  /**
   * Returns the limit for accounts that have no own limit; 0 means unlimited. Use it for SQL statements that check a
   * quota themselves.
   */
  defaultOf(quota: QuotaName): number {
    return this.config.quotas[quota];
  }

  /** Storage limit and usage at the last measurement, in bytes. A limit of 0 is unlimited. */
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

  /** Limit and usage of every quota of an account. */
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
