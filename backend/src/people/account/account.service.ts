import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import type { Repository } from 'typeorm';
import { auditedAs } from '../../platform/audit/audited.js';
import type { SessionUser } from '../../platform/auth/current-user.js';
import { hashPassword, isPassword } from '../../platform/auth/password-hash.js';
import { SessionTokens } from '../../platform/auth/session-tokens.service.js';
import { TokenChanges } from '../../platform/auth/tokens/token-changes.service.js';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { entityFields } from '../../platform/common/entity.js';
import { ApiError } from '../../platform/common/errors.js';
import { clientAddress } from '../../platform/http/client-address.js';
import { accountAddress } from '../../platform/mail/account-address.js';
import { MaintenanceService } from '../../platform/maintenance/maintenance.service.js';
import { NoticesService } from '../../platform/notifications/notices/notices.service.js';
import { QuotasService } from '../../platform/quotas/quotas.service.js';
import { FreeWorkersService } from '../../runs/workers/free-workers.service.js';
import { AccountDeletionService } from '../users/account-deletion.service.js';
import { AccountExpiry } from '../users/account-expiry.service.js';
import { PasswordLinksService } from '../users/password-links.service.js';
import { User } from '../users/user.entity.js';
import type {
  AccountDto,
  ChangePasswordDto,
  DeleteAccountDto,
  LoginAnswerDto,
  LoginDto,
  MessageDto,
} from './account.dto.js';
import { LoginLimits } from './login-limits.service.js';
import {
  DEFAULT_PREFERENCES,
  type PreferencesDto,
  preferencesIn,
  type UpdatePreferencesDto,
} from './preferences.dto.js';

@Injectable()
export class AccountService {
  /**
   * Passwords are checked against this hash if the user does not exist. The response then takes as long as for an
   * existing user, so its time does not reveal which users exist.
   */
  readonly #dummyHash: Promise<string>;

  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly sessions: SessionTokens,
    private readonly limits: LoginLimits,
    private readonly tokenChanges: TokenChanges,
    private readonly passwordLinks: PasswordLinksService,
    private readonly freeWorkers: FreeWorkersService,
    private readonly quotas: QuotasService,
    private readonly maintenance: MaintenanceService,
    private readonly notices: NoticesService,
    private readonly deletion: AccountDeletionService,
    private readonly expiry: AccountExpiry,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.#dummyHash = hashPassword(randomBytes(32), config);
  }

  /**
   * @throws {ApiError} 401 `bad_login` for a wrong user name as well as for a wrong password; 429
   *   `too_many_requests`.
   */
  async login({ username: typed, password }: LoginDto, request: Request): Promise<LoginAnswerDto> {
    const username = typed.trim().toLowerCase();
    const ip = clientAddress(request);
    // Maps an IPv6 address to its /64 network, because one internet connection usually has all addresses of such a
    // network.
    const address = normalizeIp(ip);
    const user = await this.users.findOneBy({ username });
    if (user) auditedAs(request, user);
    await this.limits.take(username, address);
    const matches = await isPassword(password, user?.password_hash ?? (await this.#dummyHash));
    if (!user?.password_hash || !matches) throw new ApiError('bad_login', 'Bad Login');
    const jwtToken = await this.sessions.open(user.id, user.password_hash, ip);
    if (jwtToken === null) throw new ApiError('bad_login', 'Bad Login');
    await this.limits.succeeded(user.id, username, address);
    return {
      jwtToken,
      loggedUser: { id: user.id, username: user.username, role: user.role },
      message: `Signed in as ${user.username}.`,
    };
  }

  async logout({ id, session_id }: SessionUser): Promise<MessageDto> {
    if (session_id) await this.sessions.close(id, session_id);
    return { message: 'Signed out.' };
  }

  /**
   * Sets a new password and ends all sessions of the account, including the caller's.
   * @throws {ApiError} 400 for `current_password` when it is wrong, 429 `too_many_requests`.
   */
  async changePassword(
    { id }: SessionUser,
    { current_password, new_password }: ChangePasswordDto,
  ): Promise<MessageDto> {
    await this.limits.takeOwn(id);
    const { password_hash: checkedHash } = await this.users.findOneByOrFail({ id });
    const matches = checkedHash !== null && (await isPassword(current_password, checkedHash));
    if (!matches) throw wrong('current_password', 'Wrong password');
    const password_hash = await hashPassword(new_password, this.config);
    await this.users.manager.transaction(async manager => {
      const changed = await manager.update(
        User,
        { id, password_hash: checkedHash },
        { password_hash, updated_at: new Date() },
      );
      // No row was updated: a concurrent call has changed the password after this call checked it.
      if (!changed.affected) throw wrong('current_password', 'Wrong password');
      await this.passwordLinks.removeAll(id, manager);
      await this.sessions.removeAll(id, manager);
    });
    await this.limits.succeededOwn(id);
    this.tokenChanges.publish(id);
    return { message: 'Your password is changed and all sessions have ended. Sign in again with the new password.' };
  }

  /**
   * Closes the account. Its data is deleted in the background.
   * @throws {ApiError} 400 for a wrong name or password, 409 `last_administrator`, 429 `too_many_requests`.
   */
  async delete({ id }: SessionUser, { username, password }: DeleteAccountDto): Promise<MessageDto> {
    await this.limits.takeOwn(id);
    const user = await this.users.findOneByOrFail({ id });
    if (username.trim().toLowerCase() !== user.username) throw wrong('username', 'Wrong user name');
    const matches = user.password_hash !== null && (await isPassword(password, user.password_hash));
    if (!matches) throw wrong('password', 'Wrong password');
    await this.limits.succeededOwn(id);
    await this.deletion.close(id);
    void this.expiry.sweep();
    return { message: 'Your account is closed. Trawl is deleting its data.' };
  }

  /** Changes the preferences that are in the body. One statement, so that two tabs do not undo each other's changes. */
  async setPreferences(id: string, body: UpdatePreferencesDto): Promise<PreferencesDto> {
    const [[row]] = await this.users.query<[{ preferences: object }[], number]>(
      'UPDATE users SET preferences = preferences || $2::jsonb WHERE id = $1 RETURNING preferences',
      [id, JSON.stringify(preferencesIn(body))],
    );
    return { ...DEFAULT_PREFERENCES, ...row?.preferences };
  }

  async get(id: string): Promise<AccountDto> {
    const user = await this.users.findOneByOrFail({ id });
    const freeWorker = await this.freeWorkers.stateOf(id);
    const quotas = await this.quotas.uses(id);
    return {
      ...entityFields(user),
      username: user.username,
      role: user.role,
      free_worker: freeWorker,
      expires_at: user.expires_at?.toISOString() ?? null,
      has_email: accountAddress(user.username, this.config.contactEmail) !== undefined,
      preferences: { ...DEFAULT_PREFERENCES, ...user.preferences },
      quotas,
      unread_notices: await this.notices.countUnread(id),
      maintenance: this.maintenance.current,
    };
  }
}

function wrong(field: string, message: string): ApiError {
  return new ApiError('validation_failed', `${message}.`, [{ field, message }]);
}
