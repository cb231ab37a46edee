import { Inject, Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { hash } from '@node-rs/argon2';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { SessionsService } from '../auth/sessions.service.js';
import { CONFIG, type Config } from '../common/config.js';
import { LOGGER } from '../common/logger.js';
import type { Mail } from '../mail/mail-transport.js';
import { type MailKind, OutboxService } from '../mail/outbox.service.js';
import { MongoDatabasesService } from '../storage/mongo-databases.service.js';
import { User } from '../users/user.entity.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import { accountExistsMail, activationMail, passwordResetMail } from './mails.js';
import { PasswordLinksService } from './password-links.service.js';
import { type Profile, saveProfile } from './profiles.js';

const ACTIVATION_HOURS = 24;
const RESET_HOURS = 1;
const DAY_HOURS = 24;
/** Accounts that were never activated. */
const PENDING_DAYS = 30;
/** Otherwise anyone could fill anyone's mailbox with our e-mails. */
const MAILS_PER_HOUR = 5;
const LIMITED_KINDS: MailKind[] = ['activation', 'password_reset', 'account_exists'];

/** Accounts of the sign-up form, and passwords of all accounts that have an e-mail address. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly links: PasswordLinksService,
    private readonly outbox: OutboxService,
    private readonly sessions: SessionsService,
    private readonly databases: MongoDatabasesService,
    private readonly freeWorkers: FreeWorkersService,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Makes an account without a password and sends the link that sets it. An account that waits for its password gets one
   * more link; what this form says counts when this form's link is used. For an active account nothing changes but that an
   * e-mail says it is there.
   */
  async signUp({ email, ...profile }: Profile & { email: string }): Promise<void> {
    const username = email.toLowerCase();
    await this.dataSource.transaction(async manager => {
      const [pending] = await manager.query<{ id: string }[]>(
        `INSERT INTO users (id, username, role) VALUES ($1, $2, 'developer')
         ON CONFLICT (username) DO UPDATE SET username = EXCLUDED.username
           WHERE users.password_hash IS NULL AND users.disabled_at IS NULL
         RETURNING id`,
        [uuidv7(), username],
      );
      if (!pending) {
        await this.#mail(manager, username, 'account_exists', DAY_HOURS, async () =>
          accountExistsMail(username, this.config.publicUrl),
        );
        return;
      }
      await this.#mailActivation(manager, pending.id, username, profile);
    });
    this.outbox.flush();
  }

  /** Sends a link to the account's address; does nothing when there is no such account. */
  async forgotPassword(email: string): Promise<void> {
    const username = email.toLowerCase();
    await this.dataSource.transaction(async manager => {
      // Locked, so that of many requests at once each counts the e-mails of those before it.
      const user = await manager.findOne(User, { where: { username }, lock: { mode: 'pessimistic_write' } });
      if (!user || user.disabled_at) return;
      if (user.password_hash === null) await this.#mailActivation(manager, user.id, username, null);
      else {
        await this.#mail(manager, username, 'password_reset', RESET_HOURS, async () =>
          passwordResetMail(username, await this.links.make(user.id, RESET_HOURS, manager), this.config.publicUrl),
        );
      }
    });
    this.outbox.flush();
  }

  /**
   * Sets the password of the account that the link is for and ends its sessions. The first password opens the account's
   * FREE PACK: a database, and a worker.
   * @throws {ApiError} 422 `link_not_usable`.
   */
  async setPassword(token: string, password: string): Promise<void> {
    // Before the costly hash, which is otherwise a way to keep the server busy.
    await this.links.check(token);
    const passwordHash = await hash(password);
    const ended = await this.dataSource.transaction(async manager => {
      const { userId: id, profile } = await this.links.use(token, manager);
      const user = await manager.findOneByOrFail(User, { id });
      await manager.update(User, { id }, { password_hash: passwordHash, updated_at: new Date() });
      if (user.password_hash === null) {
        if (profile) await saveProfile(id, profile, manager);
        await this.databases.create(id, 'main', manager);
        await this.freeWorkers.give(user, manager);
      }
      this.logger.info({ user: id, first: user.password_hash === null }, 'a password is set');
      return this.sessions.removeAll(id, manager);
    });
    for (const session of ended) this.sessions.closed.next(session);
    this.outbox.flush();
  }

  async #mailActivation(
    manager: EntityManager,
    userId: string,
    username: string,
    profile: Profile | null,
  ): Promise<void> {
    await this.#mail(manager, username, 'activation', ACTIVATION_HOURS, async () =>
      activationMail(
        username,
        await this.links.make(userId, ACTIVATION_HOURS, manager, profile),
        ACTIVATION_HOURS,
        this.config.publicUrl,
      ),
    );
  }

  async #mail(
    manager: EntityManager,
    recipient: string,
    kind: MailKind,
    usefulHours: number,
    write: () => Promise<Mail>,
  ): Promise<void> {
    if ((await this.outbox.lastHour(manager, recipient, LIMITED_KINDS)) >= MAILS_PER_HOUR) {
      this.logger.warn({ kind }, `an address had ${MAILS_PER_HOUR} e-mails within the hour and gets no more`);
      return;
    }
    await this.outbox.add(manager, kind, await write(), usefulHours);
  }

  @Cron('31 2 * * *')
  async removeNeverActivated(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM users WHERE password_hash IS NULL AND created_at < now() - ${PENDING_DAYS} * interval '1 day'`,
    );
  }
}
