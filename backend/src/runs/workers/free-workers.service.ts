import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import type { EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { LOGGER } from '../../platform/common/logger.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import { compose } from '../../platform/mail/compose.js';
import { OutboxService } from '../../platform/mail/outbox.service.js';
import { WorkerAssignmentsRepository } from './assignments/worker-assignments.repository.js';

const POLL_MS = 60_000;
/** An e-mail that could not be sent expires after this many hours, because a newer one then replaces it. */
const DAY_HOURS = 24;

/** The possible states of an account: it has its free worker, or it waits for one. */
export const FREE_WORKER_STATES = ['assigned', 'waiting'] as const;
export type FreeWorkerState = (typeof FREE_WORKER_STATES)[number];

/** Assigns each new account one free worker, at once or as soon as a suitable one connects. */
@Injectable()
export class FreeWorkersService implements OnModuleInit {
  constructor(
    private readonly assignments: WorkerAssignmentsRepository,
    private readonly outbox: OutboxService,
    private readonly dueWork: DueWork,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.dueWork.add('free workers', {
      everyMs: POLL_MS,
      find: () => 'EXISTS (SELECT FROM waiting_assignments)',
      run: () => this.assignToWaiting(),
    });
  }

  /** Returns null for accounts that get no free worker, which are those from the platform's first start. */
  stateOf(userId: string): Promise<FreeWorkerState | null> {
    return this.assignments.stateOf(userId);
  }

  /** Assigns a free worker in the caller's transaction. If none is suitable, the account waits for one. */
  async assign(userId: string, transaction: EntityManager): Promise<void> {
    if (await this.assignments.insertFree(transaction, userId)) return;
    await this.assignments.queue(transaction, userId);
    this.logger.warn(
      { user: userId },
      'account waits for its free worker: no public worker with the full sandbox is connected',
    );
  }

  /** Lets those of the given accounts that have no worker any more wait for a free one, in the caller's transaction. */
  async queueAgain(userIds: string[], transaction: EntityManager): Promise<void> {
    await this.assignments.queueWithoutWorker(transaction, userIds);
  }

  /**
   * Assigns workers to waiting accounts. It is called when a worker has connected, and also by a timer, for accounts
   * that began to wait at that same moment. E-mails the administrator if accounts still have to wait.
   */
  async assignToWaiting(): Promise<void> {
    try {
      while (await this.#assignToNext());
      this.outbox.flush();
    } catch (error) {
      this.logger.warn({ err: error }, 'assigning free workers failed; retrying in a minute');
    }
  }

  async #assignToNext(): Promise<boolean> {
    return this.assignments.transaction(async manager => {
      const userId = await this.assignments.lockNextQueued(manager);
      if (userId === undefined) return false;
      const workerId = await this.assignments.insertFree(manager, userId);
      if (workerId === undefined) {
        await this.#mailAdministrator(manager);
        return false;
      }
      await this.assignments.unqueue(manager, userId);
      this.logger.info({ user: userId, worker: workerId }, 'waiting account got its free worker');
      return true;
    });
  }

  /**
   * Queues an e-mail to the administrator, but at most one a day, and only if an account began to wait within the last
   * day.
   */
  async #mailAdministrator(manager: EntityManager): Promise<void> {
    const { contactEmail, publicUrl } = this.config;
    if (contactEmail === undefined || (await this.outbox.countRecent(manager, contactEmail, 'worker_wanted')).day > 0)
      return;
    const waiting = await this.assignments.countQueuedIfRecent(manager);
    if (waiting === undefined) return;
    const mail = compose(
      {
        to: contactEmail,
        subject:
          waiting === 1
            ? 'An account is waiting for its free worker'
            : `${waiting} accounts are waiting for a free worker`,
      },
      [
        `Accounts waiting for their free worker: ${waiting}. Until they have one, they can write and bundle skripts, but not start them.`,
        'A free worker must be public and have the full sandbox, because a weaker one cannot isolate code from strangers. The list of workers in the panel shows what a worker lacks. Connect a suitable worker, and Trawl assigns it to the waiting accounts.',
      ],
      `Sent by ${publicUrl} to its CONTACT_EMAIL, at most once a day, when more accounts are waiting.`,
    );
    await this.outbox.add(manager, 'worker_wanted', mail, DAY_HOURS);
  }
}
