import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { LOGGER } from '../common/logger.js';
import { compose } from '../mail/compose.js';
import { OutboxService } from '../mail/outbox.service.js';

const LOOK_MS = 60_000;
/** Then a newer one says more. */
const DAY_HOURS = 24;

/**
 * The free worker of an account: a public one that is connected and has the full sandbox, which code from strangers
 * needs; of several the one with the fewest accounts for its slots.
 */
const ASSIGN = `INSERT INTO worker_assignments (worker_id, user_id)
  SELECT w.id, $1 FROM workers w JOIN worker_leases l ON l.worker_id = w.id
  WHERE w.public AND w.sandbox = 'full' AND l.replica_id IS NOT NULL AND l.lease_until > now()
  ORDER BY (SELECT count(*) FROM worker_assignments a WHERE a.worker_id = w.id)::float / greatest(w.slots, 1),
    l.free_slots DESC, w.id
  LIMIT 1
  ON CONFLICT (worker_id, user_id) DO UPDATE SET created_at = worker_assignments.created_at RETURNING worker_id`;

/** Whether an account has its free worker, or waits for it. */
export const FREE_WORKER_STATES = ['assigned', 'waiting'] as const;
export type FreeWorkerState = (typeof FREE_WORKER_STATES)[number];

/** Gives each new account its one free worker, now or as soon as there is one. */
@Injectable()
export class FreeWorkersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Null for accounts that are promised none: those of the first start. */
  async stateOf(userId: string): Promise<FreeWorkerState | null> {
    const [{ state } = { state: null }] = await this.dataSource.query<{ state: FreeWorkerState | null }[]>(
      `SELECT CASE WHEN EXISTS (SELECT 1 FROM waiting_assignments WHERE user_id = $1) THEN 'waiting'
                   WHEN EXISTS (SELECT 1 FROM worker_assignments WHERE user_id = $1) THEN 'assigned' END AS state`,
      [userId],
    );
    return state;
  }

  /** Within the caller's transaction. With no fitting worker the account waits for one. */
  async give(userId: string, transaction: EntityManager): Promise<void> {
    const [assigned] = await transaction.query<unknown[]>(ASSIGN, [userId]);
    if (assigned) return;
    await transaction.query(`INSERT INTO waiting_assignments (user_id) VALUES ($1) ON CONFLICT DO NOTHING`, [userId]);
    this.logger.warn(
      { user: userId },
      'an account waits for its free worker: no public worker with the full sandbox is connected',
    );
  }

  /** Within the caller's transaction: those of these accounts that have lost their free worker wait for another. */
  async promiseAgain(userIds: string[], transaction: EntityManager): Promise<void> {
    await transaction.query(
      `INSERT INTO waiting_assignments (user_id)
       SELECT u.id FROM users u WHERE u.id = ANY($1::uuid[]) AND NOT u.built_in
         AND NOT EXISTS (SELECT 1 FROM worker_assignments a WHERE a.user_id = u.id)
       ON CONFLICT DO NOTHING`,
      [userIds],
    );
  }

  /**
   * Called when a worker has connected; the interval finds an account that began to wait in that very moment. The
   * administrator is told of those for whom there is none.
   */
  @Interval(LOOK_MS)
  async giveToWaiting(): Promise<void> {
    try {
      while (await this.#giveToNext());
      this.outbox.flush();
    } catch (error) {
      this.logger.warn({ err: error }, 'free workers could not be given; it is tried again in a minute');
    }
  }

  async #giveToNext(): Promise<boolean> {
    return this.dataSource.transaction(async manager => {
      const [next] = await manager.query<{ user_id: string }[]>(
        // Waits for whoever looks at the same account: that one may have looked before the fitting worker came.
        `SELECT user_id FROM waiting_assignments ORDER BY created_at LIMIT 1 FOR UPDATE`,
      );
      if (!next) return false;
      const [assigned] = await manager.query<{ worker_id: string }[]>(ASSIGN, [next.user_id]);
      if (!assigned) {
        await this.#tellAdministrator(manager);
        return false;
      }
      await manager.query(`DELETE FROM waiting_assignments WHERE user_id = $1`, [next.user_id]);
      this.logger.info({ user: next.user_id, worker: assigned.worker_id }, 'a waiting account has its free worker');
      return true;
    });
  }

  /** Once a day at most, however many accounts are opened; and not again of those who were waiting a day ago. */
  async #tellAdministrator(manager: EntityManager): Promise<void> {
    const { contactEmail, publicUrl } = this.config;
    if (contactEmail === undefined || (await this.outbox.written(manager, contactEmail, 'worker_wanted')).day > 0)
      return;
    const [waiting] = await manager.query<{ n: number }[]>(
      `SELECT count(*)::int AS n FROM waiting_assignments HAVING max(created_at) > now() - interval '1 day'`,
    );
    if (!waiting) return;
    const mail = compose(
      {
        to: contactEmail,
        subject:
          waiting.n === 1 ? 'An account waits for its free worker' : `${waiting.n} accounts wait for a free worker`,
      },
      [
        `Accounts from the sign-up form that wait for their free worker: ${waiting.n}. They can write and bundle skripts, but not start them.`,
        'An account gets only a public worker with the full sandbox, because lesser ones cannot contain code from strangers. What a worker lacks for it stands in the list of workers in the panel. Once one is connected, each account that waits gets it by itself.',
      ],
      `Sent by ${publicUrl} to its CONTACT_EMAIL, once a day at most, when further accounts have begun to wait.`,
    );
    await this.outbox.add(manager, 'worker_wanted', mail, DAY_HOURS);
  }
}
