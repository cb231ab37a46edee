import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { MongoDatabasesService } from '../../data/storage/databases/mongo-databases.service.js';
import { hashPassword } from '../../platform/auth/password-hash.js';
import { SessionTokens } from '../../platform/auth/session-tokens.service.js';
import { TokenChanges } from '../../platform/auth/tokens/token-changes.service.js';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { LOGGER } from '../../platform/common/logger.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import type { Mail } from '../../platform/mail/mail-transport.js';
import { type MailKind, OutboxService } from '../../platform/mail/outbox.service.js';
import { FreeWorkersService } from '../../runs/workers/free-workers.service.js';
import { accountExistsMail, activationMail, invitationMail, passwordResetMail } from './account-mails.js';
import { LINK_HOURS, PasswordLinksService } from './password-links.service.js';
import { type Profile, saveProfile } from './profiles.js';
import { User } from './user.entity.js';

const DAY_HOURS = 24;
/** An account without a password is deleted after this number of days. */
const PENDING_DAYS = 30;

/**
 * Highest numbers of e-mails of each kind for one address. These limits are needed because anyone can type any address
 * into a form. Each kind has its own limit, so that one kind cannot block another. Password resets have no daily limit:
 * the owner must always be able to get back in.
 */
const MAIL_LIMITS: Record<AccountMail, { hour: number; day: number }> = {
  activation: { hour: 5, day: 15 },
  account_exists: { hour: 1, day: 4 },
  password_reset: { hour: 5, day: Number.POSITIVE_INFINITY },
};
type AccountMail = Extract<MailKind, 'activation' | 'account_exists' | 'password_reset'>;

/** Handles sign-ups, invitations and password links. */
@Injectable()
export class RegistrationService implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly links: PasswordLinksService,
    private readonly outbox: OutboxService,
    private readonly sessions: SessionTokens,
    private readonly tokenChanges: TokenChanges,
    private readonly databases: MongoDatabasesService,
    private readonly freeWorkers: FreeWorkersService,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('accounts that were never activated', 'hourly', () => this.removeNeverActivated());
  }

  /**
   * Creates an account without a password and sends a link to set it. If there is such an account already, sends
   * another link, and the form's profile is saved when that link is used. If the account is not waiting for its first
   * password, only sends an e-mail which says that it exists.
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

  /** Sends a password link to the account's address. Does nothing if the account does not exist or is disabled. */
  async forgotPassword(email: string): Promise<void> {
    const username = email.toLowerCase();
    await this.dataSource.transaction(async manager => {
      // This lock makes concurrent requests wait for each other, so that each counts the e-mails of the earlier ones.
      const user = await manager.findOne(User, { where: { username }, lock: { mode: 'pessimistic_write' } });
      if (!user || user.disabled_at) return;
      if (user.password_hash === null) await this.#mailActivation(manager, user.id, username, null);
      else {
        await this.#mail(manager, username, 'password_reset', LINK_HOURS.password_reset, async () =>
          passwordResetMail(
            username,
            await this.links.create(user.id, 'password_reset', manager),
            this.config.publicUrl,
          ),
        );
      }
    });
    this.outbox.flush();
  }

  /**
   * Sets the password of the link's account, ends its sessions, and returns the account. Setting the first password
   * activates the account and gives it the FREE PACK: a database and a worker.
   * @throws {ApiError} 422 `link_not_usable`.
   */
  async setPassword(token: string, password: string): Promise<{ id: string; username: string }> {
    // Check the link before the expensive hash, so that nobody can overload the server with invalid links.
    await this.links.usernameOf(token);
    const passwordHash = await hashPassword(password, this.config);
    const user = await this.dataSource.transaction(async manager => {
      const { userId: id, profile } = await this.links.use(token, manager);
      const user = await manager.findOneByOrFail(User, { id });
      await manager.update(User, { id }, { password_hash: passwordHash, updated_at: new Date() });
      if (user.password_hash === null) {
        if (profile) await saveProfile(id, profile, manager);
        await this.activate(id, manager);
      }
      this.logger.info({ user: id, first: user.password_hash === null }, 'password set');
      await this.sessions.removeAll(id, manager);
      return user;
    });
    this.tokenChanges.publish(user.id);
    this.outbox.flush();
    return user;
  }

  /**
   * Replaces the password of an account, ends its sessions, and invalidates its password links. Activates an account that
   * has no password yet.
   */
  async replacePassword(userId: string, password: string): Promise<void> {
    const passwordHash = await hashPassword(password, this.config);
    await this.dataSource.transaction(async manager => {
      const user = await manager.findOneOrFail(User, { where: { id: userId }, lock: { mode: 'pessimistic_write' } });
      await manager.update(User, { id: userId }, { password_hash: passwordHash, updated_at: new Date() });
      if (user.password_hash === null) await this.activate(userId, manager);
      await this.links.removeAll(userId, manager);
      await this.sessions.removeAll(userId, manager);
    });
    this.tokenChanges.publish(userId);
    this.outbox.flush();
  }

  /** Gives a new account its database and its free worker, in the caller's transaction. */
  async activate(userId: string, transaction: EntityManager): Promise<void> {
    await this.databases.create(userId, 'main', transaction);
    await this.freeWorkers.assign(userId, transaction);
  }

  /**
   * Sends a password link for an account that an administrator created, in the caller's transaction. Call
   * `OutboxService.flush` after its commit.
   */
  async invite(
    { id, username, expiresAt }: { id: string; username: string; expiresAt: Date | null },
    transaction: EntityManager,
  ): Promise<void> {
    const link = await this.links.create(id, 'invitation', transaction);
    const mail = invitationMail(username, link, LINK_HOURS.invitation / DAY_HOURS, expiresAt, this.config.publicUrl);
    await this.outbox.add(transaction, 'activation', mail, LINK_HOURS.invitation);
  }

  async #mailActivation(
    manager: EntityManager,
    userId: string,
    username: string,
    profile: Profile | null,
  ): Promise<void> {
    await this.#mail(manager, username, 'activation', LINK_HOURS.activation, async () =>
      activationMail(
        username,
        await this.links.create(userId, 'activation', manager, profile),
        LINK_HOURS.activation,
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
    const [written, most] = [await this.outbox.countRecent(manager, recipient, kind), MAIL_LIMITS[kind]];
    if (written.hour >= most.hour || written.day >= most.day) {
      this.logger.warn({ kind, ...written }, 'e-mail skipped: the mailbox reached its limit for this kind');
      return;
    }
    await this.outbox.add(manager, kind, await write(), usefulHours);
  }

  /**
   * Delete old accounts at the start, too, because a backend that is restarted often might never run at the scheduled
   * time.
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.removeNeverActivated();
  }

  async removeNeverActivated(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM users WHERE password_hash IS NULL AND created_at < now() - ${PENDING_DAYS} * interval '1 day'`,
    );
  }
}
