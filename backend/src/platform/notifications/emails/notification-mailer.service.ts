import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../common/config.js';
import { LOGGER } from '../../common/logger.js';
import { OutageLog } from '../../common/outage-log.js';
import { isDatabaseUnavailable } from '../../common/postgres-errors.js';
import { DueWork } from '../../database/due-work.service.js';
import { accountAddress } from '../../mail/account-address.js';
import { OutboxService } from '../../mail/outbox.service.js';
import { type EventGroup, notificationMail } from './notification-mail.js';

const POLL_MS = 2_000;
/** After an e-mail, an account gets the next one at the earliest after this time, with everything since. */
const DIGEST_MINUTES = 60;
/** An e-mail that could not be sent expires after this many hours. */
const USEFUL_HOURS = 24;
/** One e-mail lists at most this many different subjects, such as skripts. */
const MAX_GROUPS = 20;

/** Writes e-mails about events: the first one at once, and later ones together, at most one e-mail an hour. */
@Injectable()
export class NotificationMailer implements OnModuleInit {
  readonly #outages: OutageLog;
  #inProgress: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    private readonly dueWork: DueWork,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'failed to write e-mails about events; retrying');
  }

  onModuleInit(): void {
    this.dueWork.add('e-mails about events', {
      everyMs: POLL_MS,
      find: () => `EXISTS (${DUE_ACCOUNTS})`,
      run: () => this.writeDue(),
    });
  }

  /** Writes the e-mails that are due. A second call waits for the first one. */
  writeDue(): Promise<void> {
    this.#inProgress ??= this.#writeDue().finally(() => {
      this.#inProgress = undefined;
    });
    return this.#inProgress;
  }

  async #writeDue(): Promise<void> {
    try {
      let last: string | null = null;
      let next = await this.#writeNext(last);
      while (next !== null) {
        last = next;
        next = await this.#writeNext(last);
      }
      if (last !== null) this.outbox.flush();
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /**
   * Writes the e-mail of the next account after the given one. An account whose e-mail cannot be written waits like after
   * an e-mail, so that it delays no other.
   * @returns the id of the account; null if no other is due.
   */
  async #writeNext(after: string | null): Promise<string | null> {
    const claimed: { id?: string } = {};
    try {
      await this.dataSource.transaction(async manager => {
        const account = await claimAccount(manager, after);
        if (!account) return;
        claimed.id = account.id;
        await this.#writeOne(manager, account);
      });
    } catch (error) {
      if (claimed.id === undefined || isDatabaseUnavailable(error)) throw error;
      this.logger.error({ err: error, user: claimed.id }, 'failed to write an e-mail about events; will retry');
      await noteMail(this.dataSource.manager, claimed.id);
    }
    return claimed.id ?? null;
  }

  /** Writes the e-mail of an account, together with its time. */
  async #writeOne(manager: EntityManager, account: Account): Promise<void> {
    const { id, username, role } = account;
    const taken = await takeEvents(manager, id);
    // Failed runs are counted in their issues within a second. Until then, nothing is taken.
    const groups = taken.filter(({ is_muted }) => !is_muted);
    const to = username === null ? undefined : accountAddress(username, this.config.contactEmail);
    if (to === undefined || role === null || groups.length === 0) return;
    await noteMail(manager, id);
    const mail = notificationMail({ to, role }, groups, MAX_GROUPS, this.config.publicUrl);
    await this.outbox.add(manager, 'notification', mail, USEFUL_HOURS);
  }
}

/** Key of the lock by which one backend at a time writes these e-mails. */
const LOCK = 7_160_142;

/**
 * SQL: the accounts that have events and may get an e-mail now. If the clock was ahead at the account's last e-mail, that
 * time does not count. Reads one entry of the index for each account, because one account may have very many events.
 */
const DUE_ACCOUNTS = `WITH RECURSIVE owners AS (
    (SELECT owner_id FROM notification_emails ORDER BY owner_id LIMIT 1)
    UNION ALL
    SELECT (SELECT n.owner_id FROM notification_emails n WHERE n.owner_id > o.owner_id ORDER BY n.owner_id LIMIT 1)
    FROM owners o WHERE o.owner_id IS NOT NULL)
  SELECT o.owner_id AS id, u.username, u.role FROM owners o
    LEFT JOIN users u ON u.id = o.owner_id LEFT JOIN notification_settings s ON s.user_id = o.owner_id
  WHERE o.owner_id IS NOT NULL
    AND (s.mailed_at BETWEEN now() - interval '${DIGEST_MINUTES} minutes' AND now()) IS NOT TRUE`;

interface Account {
  id: string;
  /** Null if the account was deleted, as is its role. */
  username: string | null;
  role: string | null;
}

/** Notes that an account gets its next e-mail later. */
function noteMail(manager: EntityManager, accountId: string): Promise<unknown> {
  return manager.query(
    `INSERT INTO notification_settings (user_id, mailed_at) VALUES ($1, now())
     ON CONFLICT (user_id) DO UPDATE SET mailed_at = now()`,
    [accountId],
  );
}

/**
 * Finds the first account after the given one that has events and may get an e-mail now.
 * @returns undefined also if another backend writes e-mails now.
 */
async function claimAccount(manager: EntityManager, after: string | null): Promise<Account | undefined> {
  const [lock] = await manager.query<{ isMine: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS "isMine"', [LOCK]);
  if (!lock?.isMine) return undefined;
  const [account] = await manager.query<Account[]>(
    `${DUE_ACCOUNTS} AND ($1::uuid IS NULL OR o.owner_id > $1) ORDER BY o.owner_id LIMIT 1`,
    [after],
  );
  return account;
}

/**
 * Removes the events of an account, and returns them grouped by type and by what they are about: failed runs by their
 * issue. Leaves runs that are not counted in an issue yet.
 */
function takeEvents(manager: EntityManager, accountId: string): Promise<(EventGroup & { is_muted: boolean })[]> {
  return manager.query<(EventGroup & { is_muted: boolean })[]>(
    `WITH waiting AS (
       SELECT id, CASE WHEN event = 'run.failed' THEN issue_of_run((payload ->> 'execution_id')::uuid) END AS issue
       FROM notification_emails WHERE owner_id = $1),
     taken AS (
       DELETE FROM notification_emails n USING waiting w
       WHERE n.id = w.id AND (w.issue IS NULL OR w.issue ->> 'id' IS NOT NULL)
       RETURNING n.*, w.issue),
     named AS (
       SELECT *, issue ->> 'id' AS issue_id, issue ->> 'message' AS error,
         COALESCE((issue ->> 'is_muted')::boolean, false) AS is_muted, payload #>> CASE WHEN split_part(event, '.', 1) IN ('run', 'rows') THEN ARRAY['skript', 'name']
         ELSE ARRAY[split_part(event, '.', 1), 'name'] END AS name FROM taken)
     SELECT event, name, error, is_muted, count(*)::int AS count, (array_agg(payload ORDER BY id DESC))[1] AS latest
     FROM named GROUP BY event, name, issue_id, error, is_muted ORDER BY count(*) DESC, event, name, error`,
    [accountId],
  );
}
