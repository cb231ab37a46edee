import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { cacheDir, startUserPostgres } from '@trawl/embedded';
import { Pool, type PoolConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../../common/config.js';
import { LOGGER } from '../../common/logger.js';
import { PooledClient } from '../../database/pooled-client.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';

/** Host, port and TLS of the server. Role, password and database are those of the superuser. */
export type ServerAddress = Pick<PoolConfig, 'host' | 'port' | 'ssl' | 'user' | 'password' | 'database'>;

interface RunningServer {
  address: ServerAddress;
  /** Connections of the superuser to the server's own database. They never read what users wrote. */
  maintenance: Pool;
  stop: () => Promise<void>;
}

const MAINTENANCE_CONNECTIONS = 4;
const MAINTENANCE_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** How long a statement waits for a lock. A user can hold a lock on the own role. */
const LOCK_TIMEOUT_MS = 2_000;
const SWEEP_MS = 30_000;
/** Longer than any call or pause that a backend allows, so that the sweep ends only sessions that a backend has lost. */
const LOST_AFTER = '3 minutes';
/** Key of the advisory locks for statements that fail when two backends execute them at the same time. */
const MAINTENANCE_LOCK = 7_241_114;

/**
 * The PostgreSQL server with the databases of users. It starts at first use: with `USER_POSTGRES_URL=embedded` as a
 * process of this backend, otherwise as a pool of connections to that address.
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

  /**
   * Executes a statement, or several without values in one transaction, as the superuser.
   * @throws {StorageFailure} `storage_unavailable` if the server is not reachable; errors of PostgreSQL.
   */
  async maintain<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const { maintenance } = await this.#running();
    return (await maintenance.query<Row>(sql, values)).rows;
  }

  /** Executes statements as the superuser while no other backend does the same for the database with this name. */
  async maintainAlone(
    name: string,
    work: (query: (sql: string, values?: unknown[]) => Promise<object[]>) => Promise<void>,
  ): Promise<void> {
    const client = await (await this.#running()).maintenance.connect();
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

  /** Returns the size of a database in bytes, without what an empty database has. */
  async sizeOf(name: string): Promise<number> {
    const [row] = await this.maintain<{ bytes: string }>(
      `SELECT greatest(0, pg_database_size(oid) - pg_database_size('template0')) AS bytes FROM pg_database WHERE datname = $1`,
      [name],
    );
    return Number(row?.bytes ?? 0);
  }

  /**
   * Returns which of these processes hold more than `locks` locks, or are among the largest holders while all sessions
   * of the server together fill a third of its lock table. Logs errors instead of throwing.
   */
  async findLockHolders(pids: number[], locks: number): Promise<number[]> {
    try {
      const held = await this.maintain<{ pid: number }>(
        `SELECT pid FROM (
           SELECT pid, count(*) AS locks, sum(count(*)) OVER (ORDER BY count(*), pid) AS up_to_here
           FROM pg_locks WHERE pid IS NOT NULL GROUP BY pid) holders
         WHERE pid = ANY ($1) AND (locks > $2 OR up_to_here >
           current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int / 3)`,
        [pids, locks],
      );
      return held.map(({ pid }) => pid);
    } catch (error) {
      this.logger.warn({ code: (error as { code?: string }).code }, 'failed to count the locks of users; will retry');
      return [];
    }
  }

  /** Asks the server to cancel what a session of a role does, or ends the session. Logs errors instead of throwing. */
  async interrupt(role: string, pid: number, how: 'cancel' | 'terminate'): Promise<void> {
    try {
      // If the session has ended, a session of another role may have its process id.
      await this.maintain(`SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND pid = $2`, [
        role,
        pid,
      ]);
    } catch (error) {
      this.logger.warn({ code: (error as { code?: string }).code }, `failed to ${how} a session of a user`);
    }
  }

  /** Ends sessions that a backend left behind when it was killed. */
  @Interval(SWEEP_MS)
  async endLostSessions(): Promise<void> {
    if (!this.isStarted) return;
    try {
      await this.maintain(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE usename ~ '^u_[0-9a-f]{32}$' AND state <> 'idle' AND state_change < now() - interval '${LOST_AFTER}'`,
      );
    } catch (error) {
      this.logger.warn({ code: (error as { code?: string }).code }, 'failed to end lost sessions of users; will retry');
    }
  }

  async onApplicationShutdown(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.maintenance.end().catch(() => undefined);
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
    const maintenance = new Pool({
      ...address,
      max: MAINTENANCE_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: MAINTENANCE_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      application_name: 'trawl-maintenance',
      Client: PooledClient,
    });
    maintenance.on('error', () => {});
    try {
      await this.#prepare(maintenance);
      return { address, maintenance, stop };
    } catch (error) {
      await maintenance.end();
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
  async #prepare(maintenance: Pool): Promise<void> {
    const { rows } = await maintenance.query<{ rolsuper: boolean }>(
      'SELECT rolsuper FROM pg_roles WHERE rolname = current_user',
    );
    if (!rows[0]?.rolsuper) throw new Error('USER_POSTGRES_URL must name a superuser.');
    const platform = decodeURIComponent(new URL(this.config.postgresUrl).pathname.slice(1));
    const client = await maintenance.connect();
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
