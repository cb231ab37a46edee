import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { hash } from '@node-rs/argon2';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CallerChanges } from '../auth/caller-changes.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { CONFIG, type Config } from '../common/config.js';
import { LOGGER } from '../common/logger.js';
import type { Mail } from '../mail/mail-transport.js';
import { type MailKind, OutboxService } from '../mail/outbox.service.js';
import { MongoDatabasesService } from '../storage/mongo-databases.service.js';
import { User } from '../users/user.entity.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import { accountExistsMail, activationMail, invitationMail, passwordResetMail } from './mails.js';
import { PasswordLinksService } from './password-links.service.js';
import { type Profile, saveProfile } from './profiles.js';

const ACTIVATION_HOURS = 24;
/** Nobody waits for it. */
const INVITATION_HOURS = 7 * 24;
const RESET_HOURS = 1;
const DAY_HOURS = 24;
/** Accounts that were never activated. */
const PENDING_DAYS = 30;

/**
 * E-mails of a kind that a mailbox gets at most: otherwise anyone could fill anyone's with ours. Each kind is counted by
 * itself, so that nobody uses up another's. Links for an account that is open have no limit by the day: their owner must
 * always come in again.
 */
const MOST_MAILS: Record<AccountMail, { hour: number; day: number }> = {
  activation: { hour: 5, day: 15 },
  account_exists: { hour: 1, day: 4 },
  password_reset: { hour: 5, day: Number.POSITIVE_INFINITY },
};
type AccountMail = Extract<MailKind, 'activation' | 'account_exists' | 'password_reset'>;

/** Accounts of the sign-up form, and passwords of all accounts that have an e-mail address. */
@Injectable()
export class AccountsService implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly links: PasswordLinksService,
    private readonly outbox: OutboxService,
    private readonly sessions: SessionsService,
    private readonly callerChanges: CallerChanges,
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
   * @returns the account.
   * @throws {ApiError} 422 `link_not_usable`.
   */
  async setPassword(token: string, password: string): Promise<{ id: string; username: string }> {
    // Before the costly hash, which is otherwise a way to keep the server busy.
    await this.links.usernameOf(token);
    const passwordHash = await hash(password);
    const user = await this.dataSource.transaction(async manager => {
      const { userId: id, profile } = await this.links.use(token, manager);
      const user = await manager.findOneByOrFail(User, { id });
      await manager.update(User, { id }, { password_hash: passwordHash, updated_at: new Date() });
      if (user.password_hash === null) {
        if (profile) await saveProfile(id, profile, manager);
        await this.open(id, manager);
      }
      this.logger.info({ user: id, first: user.password_hash === null }, 'a password is set');
      await this.sessions.removeAll(id, manager);
      return user;
    });
    this.callerChanges.tell(user.id);
    this.outbox.flush();
    return user;
  }

  /** What every account begins with: a database, and a worker. Within the caller's transaction. */
  async open(userId: string, transaction: EntityManager): Promise<void> {
    await this.databases.create(userId, 'main', transaction);
    await this.freeWorkers.give(userId, transaction);
  }

  /** The link to an account that an administrator made. Within the caller's transaction; call `OutboxService.flush` after it. */
  async invite(userId: string, username: string, transaction: EntityManager): Promise<void> {
    const link = await this.links.make(userId, INVITATION_HOURS, transaction);
    const mail = invitationMail(username, link, INVITATION_HOURS / DAY_HOURS, this.config.publicUrl);
    await this.outbox.add(transaction, 'activation', mail, INVITATION_HOURS);
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
    kind: AccountMail,
    usefulHours: number,
    write: () => Promise<Mail>,
  ): Promise<void> {
    const [written, most] = [await this.outbox.written(manager, recipient, kind), MOST_MAILS[kind]];
    if (written.hour >= most.hour || written.day >= most.day) {
      this.logger.warn(
        { kind, ...written },
        'a mailbox had its share of e-mails of this kind and gets no more for now',
      );
      return;
    }
    await this.outbox.add(manager, kind, await write(), usefulHours);
  }

  /** A platform that never runs for long must not keep things longer. */
  async onApplicationBootstrap(): Promise<void> {
    await this.removeNeverActivated();
  }

  @Cron('31 * * * *')
  async removeNeverActivated(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM users WHERE password_hash IS NULL AND created_at < now() - ${PENDING_DAYS} * interval '1 day'`,
    );
  }
}
