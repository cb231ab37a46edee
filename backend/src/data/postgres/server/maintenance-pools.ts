import { Pool, type PoolClient } from 'pg';
import { PooledClient } from '../../../platform/database/pooled-client.js';
import { kindOfServer, type ServerAddress } from './server-kind.js';

const CONNECTIONS = 4;
const CONNECTIONS_OF_ONE = 2;
const TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A server starts, or recovers from a crash, within this time. */
const WAKE_TIMEOUT_MS = 40_000;
/** How long a statement waits for a lock. A user can hold a lock on the own role. */
export const LOCK_TIMEOUT_MS = 2_000;
/**
 * Connections keep the server of an account awake. Longer than the time until the database is measured after a call that
 * may have changed it.
 */
const IDLE_MS = 60_000;

/**
 * Connections of the superuser for maintenance. They never read what users wrote: on a server for all accounts they are
 * to the database of its address, on a server for one account to its database `postgres`.
 */
export class MaintenancePools {
  readonly #common: Pool;
  readonly #ofAccounts = new Map<string, Pool>();

  private constructor(
    private readonly address: ServerAddress,
    /** True if each account has a server of its own. */
    readonly isPerAccount: boolean,
  ) {
    this.#common = this.#open({ max: CONNECTIONS, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }

  /** @throws the errors of the connection. */
  static async connect(address: ServerAddress): Promise<MaintenancePools> {
    const { isPerAccount } = await kindOfServer({ ...address, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    return new MaintenancePools(address, isPerAccount);
  }

  /** Connections to the program, or to the server for all accounts. */
  get common(): Pool {
    return this.#common;
  }

  /** Returns whether this backend has a connection to the account's server, which therefore is awake. */
  isAwake(name: string): boolean {
    return !this.isPerAccount || this.#ofAccounts.has(name);
  }

  /** Connects to the server with the database of this name. */
  async client(name: string): Promise<PoolClient> {
    return this.#of(name).connect();
  }

  async query<Row extends object>(name: string, sql: string, values: unknown[]): Promise<Row[]> {
    return (await this.#of(name).query<Row>(sql, values)).rows;
  }

  async close(): Promise<void> {
    await Promise.all([this.#common, ...this.#ofAccounts.values()].map(pool => pool.end().catch(() => undefined)));
  }

  #of(name: string): Pool {
    if (!this.isPerAccount) return this.#common;
    const existing = this.#ofAccounts.get(name);
    if (existing) return existing;
    const pool = this.#open({
      database: `${name}.postgres`,
      max: CONNECTIONS_OF_ONE,
      idleTimeoutMillis: IDLE_MS,
      connectionTimeoutMillis: WAKE_TIMEOUT_MS,
    });
    pool.on('remove', () => {
      if (pool.totalCount === 0 && pool.waitingCount === 0 && this.#ofAccounts.get(name) === pool) {
        this.#ofAccounts.delete(name);
      }
    });
    this.#ofAccounts.set(name, pool);
    return pool;
  }

  #open(more: object): Pool {
    const pool = new Pool({
      ...this.address,
      statement_timeout: TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      application_name: 'trawl-maintenance',
      Client: PooledClient,
      ...more,
    });
    pool.on('error', () => {});
    return pool;
  }
}
