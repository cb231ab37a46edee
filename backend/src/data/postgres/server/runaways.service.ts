import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { LOGGER } from '../../../platform/common/logger.js';
import { Metrics } from '../../../platform/common/metrics.service.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { UserServerService } from './user-server.service.js';

/** Makes a session ready for the next statement. */
export const RESET = 'DISCARD ALL';
/** How long a session may take to end after PostgreSQL was told to end it, and a statement after it was cancelled. */
const STOP_MS = 5_000;
const LOOK_AGAIN_MS = 100;
const SWEEP_MS = 30_000;
/** Longer than the time after which `UserServerService` ends sessions that a backend has lost, and a sweep of it. */
const RUNAWAY_AFTER_MS = 4 * 60_000;
const WHAT_NOW =
  'It still uses the place of your account, which gets no other session until it has ended. Wait: a server of your account alone starts again by itself. The administrator can restart one that all accounts share.';

/** The account has a statement that nothing stops. See docs/decisions/0480-walls-in-each-database-of-a-user.md. */
export class RunawayFailure extends StorageFailure {
  constructor(message: string) {
    super('storage_unavailable', message);
  }
}

/**
 * Contains statements that ignore both a cancellation and the end of their session: loops in C that never look for
 * either. Only the end of the whole server ends them: accounts that have one of their own lose it, and the next call starts it. Until then, the database of their account takes no session, which
 * PostgreSQL itself knows, so that all backends and later starts heed it.
 */
@Injectable()
export class RunawaysService {
  /** Tests shorten it. */
  runawayAfterMs = RUNAWAY_AFTER_MS;
  readonly #count: Counter;

  constructor(
    private readonly server: UserServerService,
    metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#count = new Counter({
      name: 'trawl_user_postgres_runaways_total',
      help: 'Statements of users that neither a cancellation nor the end of their session stopped.',
      registers: [metrics.registry],
    });
  }

  /** Ends a session of a role. Returns the failure to report if the session goes on, or if PostgreSQL does not say. */
  async terminate(role: string, pid: number): Promise<StorageFailure | null> {
    await this.server.interrupt(role, pid, 'terminate');
    const state = await this.#waitUntilGone(() =>
      this.server.maintain(role, 'SELECT 1 FROM pg_stat_activity WHERE usename = $1 AND pid = $2', [role, pid]),
    );
    if (state === 'gone') return null;
    if (state === 'unknown') {
      return new RunawayFailure('PostgreSQL cannot be reached right now, so Trawl cannot say whether it has stopped.');
    }
    await this.#contain(role, [pid]);
    return new RunawayFailure(`Trawl ended its session, but PostgreSQL has not stopped it. ${WHAT_NOW}`);
  }

  /**
   * Cancels the statements of the sessions with one of these names. Returns false if there are none.
   * @throws {StorageFailure} if PostgreSQL has not stopped them.
   */
  async cancel(role: string, labels: string[]): Promise<boolean> {
    // A session that is reset for the next statement has done this one, and still has its name.
    const sql = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE usename = $1 AND application_name = ANY ($2) AND state = 'active' AND query <> '${RESET}'`;
    const cancel = () => this.server.maintain(role, sql, [role, labels]);
    if ((await cancel()).length === 0) return false;
    // PostgreSQL ignores a cancellation that arrives between two messages, so it is repeated.
    const state = await this.#waitUntilGone(cancel);
    if (state === 'gone') return true;
    throw new RunawayFailure(
      `PostgreSQL was told to cancel the statement, but has not stopped it within ${STOP_MS / 1_000} s. It still runs. Trawl ends its session when it reaches its time limit.`,
    );
  }

  /** Returns why PostgreSQL lets the account open no session; null if that has another reason, or no longer holds. */
  async refusal(role: string): Promise<RunawayFailure | null> {
    // Young sessions are those that PostgreSQL has just refused. They are in the list for a moment, too.
    const [row] = await this.server.maintain<{ since: Date | null }>(
      role,
      `SELECT (SELECT min(query_start) FROM pg_stat_activity
                WHERE usename = datname AND backend_start < now() - interval '3 s') AS since
         FROM pg_database d WHERE datname = $1 AND datconnlimit = 0`,
      [role],
    );
    if (!row) return null;
    if (row.since === null) {
      await this.server.maintain(role, `ALTER DATABASE ${role} CONNECTION LIMIT -1`);
      this.logger.info({ database: role }, 'runaway statement ended');
      return null;
    }
    return new RunawayFailure(
      `A statement that your account started at ${row.since.toISOString()} still runs, although Trawl ended its session. ${WHAT_NOW}`,
    );
  }

  /** Contains sessions that a killed backend has left behind, and which have not ended when they were told to. */
  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    if (!this.server.isStarted) return;
    try {
      const rows = await this.server.findLongSessions(this.runawayAfterMs);
      for (const { role, pids } of rows) await this.#contain(role, pids);
    } catch (error) {
      this.logger.warn({ code: codeOf(error) }, 'failed to look for runaway statements of users; will retry');
    }
  }

  /** Closes the account's database and its other sessions. */
  async #contain(role: string, pids: number[]): Promise<void> {
    this.#count.inc(pids.length);
    this.logger.error(
      { database: role, pids },
      'a statement of a user ignores cancellation and termination; the account gets no session until it ends or the PostgreSQL of users restarts',
    );
    try {
      // Unlike the row of the role, a user cannot lock the row of the database.
      await this.server.maintain(role, `ALTER DATABASE ${role} CONNECTION LIMIT 0`);
      await this.server.maintain(role, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [
        role,
      ]);
    } catch (error) {
      this.logger.error({ code: codeOf(error), database: role }, 'failed to close the database of a runaway statement');
    }
  }

  async #waitUntilGone(look: () => Promise<object[]>): Promise<'gone' | 'there' | 'unknown'> {
    const deadline = performance.now() + STOP_MS;
    for (;;) {
      const found = await look().catch(() => null);
      if (found?.length === 0) return 'gone';
      if (performance.now() > deadline) return found ? 'there' : 'unknown';
      await delay(LOOK_AGAIN_MS);
    }
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;
