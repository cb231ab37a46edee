import { randomBytes } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { SHARES } from '@trawl/contracts';
import { Pool, type PoolClient } from 'pg';
import { ApiError } from '../../../platform/common/errors.js';
import { PooledClient } from '../../../platform/database/pooled-client.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { PostgresDatabasesService } from '../databases/postgres-databases.service.js';
import { RunawaysService } from '../server/runaways.service.js';
import { UserServerService } from '../server/user-server.service.js';
import { isLost, TOO_MANY_CONNECTIONS } from './postgres-failures.js';
import { Session } from './session.js';

/** Connections of an account that this backend opens. */
export const MAX_SESSIONS = SHARES.postgresCallsAtOnce;
const MAX_WAITING = SHARES.postgresCallsQueued;
const IDLE_MS = 30_000;
/** How long a call waits for a connection. */
const WAIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 2;
const LOGIN_ATTEMPTS = 4;
/**
 * Locks of one session. The lock table has room for about 100,000 and all databases of the server share it: when it is full,
 * statements of all accounts fail. The sessions together may fill a third of it.
 */
const MAX_LOCKS = 5_000;
/** All sessions together need more than a second to fill two thirds of the lock table. */
const LOCK_CHECK_MS = 500;
/** Size of the temporary files of one session, for example of a large sort. */
const TEMP_FILE_LIMIT = '1GB';

/** Settings of each session. `DISCARD ALL` returns to them. They make the text of values independent of the user. */
const SESSION_SETTINGS =
  '-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex -c extra_float_digits=1';

/** The sessions of one account, and the password of its role. */
interface Account {
  name: string;
  pool: Pool;
  /** Set before the first session is opened. Users can change it, so it does not outlive the sessions. */
  password: Promise<string> | undefined;
  /** Number of calls that wait for a connection. */
  opening: number;
}

/** Opens sessions on users' databases, logged in as the role of the account. */
@Injectable()
export class UserSessionsService implements OnApplicationShutdown {
  readonly #accounts = new Map<string, Account>();
  readonly #open = new Set<Session>();
  #isCheckingLocks = false;

  constructor(
    private readonly databases: PostgresDatabasesService,
    private readonly server: UserServerService,
    private readonly runaways: RunawaysService,
  ) {}

  /**
   * Opens a session of the account. The caller must release it.
   * @throws {ApiError} 429; {StorageFailure} `storage_unavailable`; errors of PostgreSQL.
   */
  async open(ownerId: string): Promise<Session> {
    const account = await this.#accountOf(ownerId);
    if (account.opening >= MAX_WAITING) {
      throw new ApiError(
        'too_many_requests',
        `You have ${MAX_SESSIONS} PostgreSQL calls running and ${MAX_WAITING} queued. Wait until some finish, then retry.`,
        undefined,
        RETRY_AFTER_SECONDS,
      );
    }
    // The pool counts a call as waiting only later, so calls that come at once would all find room.
    account.opening += 1;
    const client = await this.#connect(account).finally(() => {
      account.opening -= 1;
    });
    const session = new Session(
      client,
      (pid, how) => this.#interrupt(account.name, pid, how),
      () => this.#open.delete(session),
    );
    this.#open.add(session);
    return session;
  }

  /** Ends sessions that hold too many locks. */
  @Interval(LOCK_CHECK_MS)
  async checkLocks(): Promise<void> {
    if (this.#open.size === 0 || this.#isCheckingLocks) return;
    this.#isCheckingLocks = true;
    const sessions = new Map([...this.#open].map(session => [session.pid, session]));
    const holders = await this.server.findLockHolders([...sessions.keys()], MAX_LOCKS);
    this.#isCheckingLocks = false;
    const failure = new StorageFailure(
      'storage_rejected',
      `Trawl ended the transaction, because it held more than ${MAX_LOCKS} locks, or more than most while the server’s lock table was filling up. Use fewer tables and other objects in one transaction.`,
    );
    await Promise.all(holders.map(pid => sessions.get(pid)?.end(failure)));
  }

  /**
   * Executes `work` with a session of the account. After success, the caller does not wait until the session is reset; the
   * pool gives it to the next call only then. After an error, PostgreSQL has rolled back when the caller is told.
   */
  async use<T>(ownerId: string, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.open(ownerId);
    try {
      const result = await work(session);
      void session.release();
      return result;
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  /** Closes the sessions of an account that is being deleted. */
  async close(ownerId: string): Promise<void> {
    this.databases.forget(ownerId);
    const account = this.#accounts.get(ownerId);
    this.#accounts.delete(ownerId);
    await account?.pool.end();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.#accounts.keys()].map(ownerId => this.close(ownerId)));
  }

  async #interrupt(name: string, pid: number, how: 'cancel' | 'terminate'): Promise<StorageFailure | null> {
    if (how === 'terminate') return this.runaways.terminate(name, pid);
    await this.server.interrupt(name, pid, how);
    return null;
  }

  async #accountOf(ownerId: string): Promise<Account> {
    const name = await this.databases.findOrCreate(ownerId);
    const address = await this.server.address();
    const existing = this.#accounts.get(ownerId);
    if (existing) return existing;
    const pool = new Pool({
      ...address,
      user: name,
      database: name,
      password: () => this.#passwordOf(account),
      options: SESSION_SETTINGS,
      max: MAX_SESSIONS,
      idleTimeoutMillis: IDLE_MS,
      connectionTimeoutMillis: WAIT_MS,
      application_name: 'trawl',
      Client: PooledClient,
    });
    const account: Account = { name, pool, password: undefined, opening: 0 };
    pool.on('error', () => {});
    pool.on('remove', () => {
      if (pool.totalCount > 0) return;
      account.password = undefined;
      if (pool.waitingCount === 0 && this.#accounts.get(ownerId) === account) this.#accounts.delete(ownerId);
    });
    this.#accounts.set(ownerId, account);
    return account;
  }

  async #connect(account: Account): Promise<PoolClient> {
    for (let attempt = 1; ; attempt += 1) {
      const password = this.#passwordOf(account);
      try {
        // PostgreSQL reads the password of the role before it asks for it. So the new one must be set before.
        await password;
        return await account.pool.connect();
      } catch (error) {
        if ((error as Error).message.startsWith('timeout exceeded')) {
          throw new StorageFailure(
            'storage_unavailable',
            `All ${MAX_SESSIONS} PostgreSQL connections of your account are in use. Close cursors and end transactions.`,
          );
        }
        if ((error as { code?: unknown }).code === TOO_MANY_CONNECTIONS) {
          const refusal = await this.runaways.refusal(account.name);
          if (refusal) throw refusal;
          // A closed database is open again.
          if (attempt < LOGIN_ATTEMPTS) continue;
        }
        // The user or another backend has changed the password or the settings of the role. Set them again, unless
        // another call has already done so: the session that it opens would fail.
        if (account.password === password) account.password = undefined;
        if (isLost(error) || attempt === LOGIN_ATTEMPTS) throw error;
      }
    }
  }

  #passwordOf(account: Account): Promise<string> {
    account.password ??= this.#setPassword(account.name);
    account.password.catch(() => {
      account.password = undefined;
    });
    return account.password;
  }

  async #setPassword(name: string): Promise<string> {
    const password = randomBytes(24).toString('base64url');
    // A user can also save settings for the own role, and some would keep it from logging in.
    await this.server.maintain(
      name,
      `ALTER ROLE ${name} RESET ALL;
       ALTER ROLE ${name} IN DATABASE ${name} RESET ALL;
       ALTER ROLE ${name} SET temp_file_limit = '${TEMP_FILE_LIMIT}';
       ALTER ROLE ${name} PASSWORD '${password}'`,
    );
    return password;
  }
}
