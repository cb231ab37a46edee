import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { WriteBatcher } from '../../../platform/common/batching/write-batcher.js';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { type Inserted, isSmall, type PreparedStart } from './prepared-start.js';
import { insertRuns, insertTogether } from './runs.repository.js';

/** Inserts prepared starts in as few commits as possible. */
@Injectable()
export class RunInserts {
  /** One `WriteBatcher` for each account, by the account's id. */
  readonly #gatherers = new Map<string, WriteBatcher<PreparedStart, Inserted | null>>();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Inserts a start. Small starts of the same account that arrive during a commit are inserted together with the next
   * commit. Starts of different accounts never share a commit, so that no start waits for the locks of another account.
   * @returns null if the start was prepared from outdated cached lookups. Prepare it again.
   */
  async insert(start: PreparedStart): Promise<Inserted | null> {
    if (start.request.idempotencyKey !== undefined || !isSmall(start)) return this.#insertAlone(start);
    const gatherer =
      this.#gatherers.get(start.ownerId) ?? new WriteBatcher((starts: PreparedStart[]) => this.#insertGathered(starts));
    this.#gatherers.set(start.ownerId, gatherer);
    let inserted: Inserted | null;
    try {
      inserted = await gatherer.add(start);
    } finally {
      if (gatherer.isIdle) this.#gatherers.delete(start.ownerId);
    }
    return inserted ?? (start.expected ? null : this.#insertAlone(start));
  }

  /** Inserts all starts with one commit. If PostgreSQL refuses it, inserts each start with its own commit. */
  async insertAll(starts: PreparedStart[]): Promise<Inserted[]> {
    try {
      return await this.dataSource.transaction(manager => this.insertWithin(manager, starts));
    } catch (error) {
      if (!isRefused(error)) throw error;
      return Promise.all(starts.map(start => this.#insertAlone(start)));
    }
  }

  /** Inserts starts within the caller's transaction. */
  insertWithin(manager: EntityManager, starts: PreparedStart[]): Promise<Inserted[]> {
    return insertRuns(manager, starts, this.config.quotas);
  }

  /** Returns null for each start that must be inserted by itself. */
  async #insertGathered(starts: PreparedStart[]): Promise<(Inserted | null)[]> {
    try {
      return await insertTogether(this.dataSource.manager, starts, this.config.quotas);
    } catch (error) {
      if (!isRefused(error)) throw error;
      return starts.map(() => null);
    }
  }

  async #insertAlone(start: PreparedStart): Promise<Inserted> {
    const insert = (manager: EntityManager) => this.insertWithin(manager, [start]);
    // Without an idempotency key the insert is a single statement and needs no transaction.
    const [inserted] = await (start.request.idempotencyKey === undefined
      ? insert(this.dataSource.manager)
      : this.dataSource.transaction(insert));
    return inserted as Inserted;
  }
}

/**
 * Returns whether PostgreSQL has certainly committed nothing. True for these SQLSTATE classes: invalid values (22),
 * violated constraints (23), rollbacks such as deadlocks (40), too complex statements (54).
 */
const isRefused = (error: unknown): boolean => /^(22|23|40|54)/.test(String((error as { code?: unknown }).code));
