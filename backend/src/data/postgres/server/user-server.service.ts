import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { cacheDir, startUserPostgres } from '@trawl/embedded';
import { parse, toClientConfig } from 'pg-connection-string';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { LOCK_TIMEOUT_MS, MaintenancePools } from './maintenance-pools.js';
import type { ServerAddress } from './server-kind.js';

interface RunningServer {
  address: ServerAddress;
  maintenance: MaintenancePools;
  stop: () => Promise<void>;
}

const SWEEP_MS = 30_000;
/** More than the catalogs have that all databases of an empty server share. */
const EMPTY_CATALOGS_BYTES = 1024 * 1024;
/** Longer than any call or pause that a backend allows, so that the sweep ends only sessions that a backend has lost. */
const LOST_AFTER = '3 minutes';
const MAINTENANCE_TIMEOUT_MS = 60_000;
/** Key of the advisory locks for statements that fail when two backends execute them at the same time. */
const MAINTENANCE_LOCK = 7_241_114;

/**
 * The PostgreSQL with the databases of users. It starts at first use: with `USER_POSTGRES_URL=embedded` as a process of
 * this backend, otherwise as pools of connections to that address. There, either a program gives each account a server of
 * its own (`packages/embedded/src/user-postgres`), or one server has the databases of all accounts.
 */
@Injectable()
export class UserServerService implements OnApplicationShutdown {
  #server: Promise<RunningServer> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** True if a call has started the server. */
  get isStarted(): boolean {
    return this.#server !== undefined;
  }

  /** @throws {StorageFailure} `storage_unavailable`. */
  async address(): Promise<ServerAddress> {
    return (await this.#running()).address;
  }

  /** Returns whether measuring a database would not start a server for it. */
  async isAwake(name: string): Promise<boolean> {
    const server = await this.#server?.catch(() => undefined);
    return server?.maintenance.isAwake(name) ?? false;
  }

  /** Creates the account's own server, if accounts have one. */
  async create(name: string): Promise<void> {
    const { maintenance } = await this.#running();
    if (maintenance.isPerAccount) await maintenance.common.query(`create ${name}`);
  }

  /** Deletes the account's own server with everything in it. Returns false if accounts have none. */
  async drop(name: string): Promise<boolean> {
    const { maintenance } = await this.#running();
    if (maintenance.isPerAccount) await maintenance.common.query(`drop ${name}`);
    return maintenance.isPerAccount;
  }

  /** Returns those of these databases that exist. */
  async existing(names: string[]): Promise<string[]> {
    const { maintenance } = await this.#running();
    if (maintenance.isPerAccount) {
      const { rows } = await maintenance.common.query<{ name: string }>('list');
      return rows.map(({ name }) => name).filter(name => names.includes(name));
    }
    const { rows } = await maintenance.common.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE datname = ANY ($1)',
      [names],
    );
    return rows.map(({ name }) => name);
  }

  /**
   * Executes a statement, or several without values in one transaction, as the superuser on the server with the database
   * of this name.
   * @throws {StorageFailure} `storage_unavailable` if the server is not reachable; errors of PostgreSQL.
   */
  async maintain<Row extends object>(name: string, sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#running()).maintenance.query<Row>(name, sql, values);
  }

  /** Executes statements as the superuser while no other backend does the same for the database with this name. */
  async maintainAlone(
    name: string,
    work: (query: (sql: string, values?: unknown[]) => Promise<object[]>) => Promise<void>,
  ): Promise<void> {
    const client = await (await this.#running()).maintenance.client(name);
    try {
      await client.query(`SET lock_timeout = ${MAINTENANCE_TIMEOUT_MS}`);
      await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [MAINTENANCE_LOCK, name]);
      await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await work(async (sql, values) => (await client.query(sql, values)).rows);
    } finally {
      // Closing the connection also releases the lock.
      client.release(true);
    }
  }

  /**
   * Returns the size of a database in bytes, without what an empty database has. On a server of its own, an account can
   * also fill the catalogs that all databases share, for example with settings of its role.
   */
  async sizeOf(name: string): Promise<number> {
    const { maintenance } = await this.#running();
    const [row] = await maintenance.query<{ bytes: string }>(
      name,
      `SELECT greatest(0, pg_database_size(oid) - pg_database_size('template0'))
         + CASE WHEN $2 THEN greatest(0, pg_tablespace_size('pg_global') - ${EMPTY_CATALOGS_BYTES}) ELSE 0 END AS bytes
       FROM pg_database WHERE datname = $1`,
      [name, maintenance.isPerAccount],
    );
    return Number(row?.bytes ?? 0);
  }

  /**
   * Returns which of these processes hold more than `locks` locks, or are among the largest holders while all sessions
   * of the server together fill a third of its lock table. An account with a server of its own can only keep itself from
   * working, so there is none. Logs errors instead of throwing.
   */
  async findLockHolders(pids: number[], locks: number): Promise<number[]> {
    try {
      const { maintenance } = await this.#running();
      if (maintenance.isPerAccount) return [];
      const held = await maintenance.common.query<{ pid: number }>(
        `SELECT pid FROM (
           SELECT pid, count(*) AS locks, sum(count(*)) OVER (ORDER BY count(*), pid) AS up_to_here
           FROM pg_locks WHERE pid IS NOT NULL GROUP BY pid) holders
         WHERE pid = ANY ($1) AND (locks > $2 OR up_to_here >
           current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int / 3)`,
        [pids, locks],
      );
      return held.rows.map(({ pid }) => pid);
    } catch (error) {
      this.logger.warn({ code: (error as { code?: string }).code }, 'failed to count the locks of users; will retry');
      return [];
    }
  }

  /** Asks the server to cancel what a session of a role does, or ends the session. Logs errors instead of throwing. */
  async interrupt(role: string, pid: number, how: 'cancel' | 'terminate'): Promise<void> {
    try {
      // If the session has ended, a session of another role may have its process id.
      await this.maintain(role, `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND pid = $2`, [
        role,
        pid,
      ]);
    } catch (error) {
      this.logger.warn({ code: (error as { code?: string }).code }, `failed to ${how} a session of a user`);
    }
  }

  /** Ends sessions that a backend left behind when it was killed. On servers for one account, they end on their own. */
  @Interval(SWEEP_MS)
  async endLostSessions(): Promise<void> {
    if (!this.isStarted) return;
    try {
      const { maintenance } = await this.#running();
      if (maintenance.isPerAccount) return;
      await maintenance.common.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE usename ~ '^u_[0-9a-f]{32}$' AND state <> 'idle' AND state_change < now() - interval '${LOST_AFTER}'`,
      );
    } catch (error) {
      this.logger.warn({ code: (error as { code?: string }).code }, 'failed to end lost sessions of users; will retry');
    }
  }

  /**
   * Returns the sessions of users that have done one thing for so long, of accounts whose database is not closed. On servers
   * for one account, they end on their own, so there is none.
   */
  async findLongSessions(afterMs: number): Promise<{ role: string; pids: number[] }[]> {
    const { maintenance } = await this.#running();
    if (maintenance.isPerAccount) return [];
    const { rows } = await maintenance.common.query<{ role: string; pids: number[] }>(
      `SELECT usename AS role, array_agg(pid) AS pids FROM pg_stat_activity JOIN pg_database ON pg_database.datname = usename
        WHERE usename ~ '^u_[0-9a-f]{32}$' AND datconnlimit <> 0
          AND state <> 'idle' AND state_change < now() - $1 * interval '1 ms' GROUP BY usename`,
      [afterMs],
    );
    return rows;
  }

  async onApplicationShutdown(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.maintenance.close();
    await server?.stop();
  }

  async #running(): Promise<RunningServer> {
    this.#server ??= this.#start();
    const server = this.#server;
    try {
      return await server;
    } catch (error) {
      // The next call starts the server again, unless another call has already done so.
      if (this.#server === server) this.#server = undefined;
      if (error instanceof StorageFailure) throw error;
      this.logger.error({ err: error }, 'the PostgreSQL server for users is not usable');
      throw new StorageFailure('storage_unavailable', 'PostgreSQL cannot be reached right now.');
    }
  }

  async #start(): Promise<RunningServer> {
    const { url, stop } = await this.#startOrFind();
    const address = toClientConfig(parse(url)) as ServerAddress;
    let maintenance: MaintenancePools | undefined;
    try {
      maintenance = await MaintenancePools.connect(address);
      if (!maintenance.isPerAccount) await this.#prepare(maintenance);
      return { address, maintenance, stop };
    } catch (error) {
      await maintenance?.close();
      await stop();
      throw error;
    }
  }

  async #startOrFind(): Promise<{ url: string; stop: () => Promise<void> }> {
    const { userPostgresUrl, dataDir } = this.config;
    if (userPostgresUrl === undefined) {
      throw new StorageFailure(
        'storage_unavailable',
        'This platform has no PostgreSQL for users. Its administrator can set USER_POSTGRES_URL.',
      );
    }
    if (userPostgresUrl !== 'embedded') return { url: userPostgresUrl, stop: async () => {} };
    return startUserPostgres({ dataDir, cacheDir: cacheDir(), onProgress: line => this.logger.info(line) });
  }

  /** Closes the databases that are not of users to the roles of users. */
  async #prepare({ common }: MaintenancePools): Promise<void> {
    const { rows } = await common.query<{ rolsuper: boolean }>(
      'SELECT rolsuper FROM pg_roles WHERE rolname = current_user',
    );
    if (!rows[0]?.rolsuper) throw new Error('USER_POSTGRES_URL must name a superuser.');
    const platform = decodeURIComponent(new URL(this.config.postgresUrl).pathname.slice(1));
    const client = await common.connect();
    try {
      await client.query(`SET lock_timeout = ${MAINTENANCE_TIMEOUT_MS}`);
      await client.query('SELECT pg_advisory_lock($1)', [MAINTENANCE_LOCK]);
      const open = await client.query<{ name: string; ours: boolean }>(
        `SELECT quote_ident(datname) AS name, datname IN ('postgres', 'template1', current_database(), $1) AS ours
           FROM pg_database
          WHERE datallowconn AND datname !~ '^u_[0-9a-f]{32}$'
            AND (has_database_privilege('public', oid, 'CONNECT') OR has_database_privilege('public', oid, 'TEMP'))`,
        [platform],
      );
      for (const { name, ours } of open.rows) {
        if (ours) await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
        else this.logger.warn({ database: name }, 'users of PostgreSQL can connect to this database of the server');
      }
    } finally {
      client.release(true);
    }
  }
}
