import { Inject, Injectable } from '@nestjs/common';
import type { Role } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { hashPassword } from '../../platform/auth/password-hash.js';
import { SessionTokens } from '../../platform/auth/session-tokens.service.js';
import { TokenChanges } from '../../platform/auth/tokens/token-changes.service.js';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { entityFields } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { isUniqueViolation } from '../../platform/common/postgres-errors.js';
import { type List, parseSort } from '../../platform/http/lists/list-query.js';
import { containsPattern, listPage } from '../../platform/http/lists/list-rows.js';
import { OutboxService } from '../../platform/mail/outbox.service.js';
import { overriddenBy } from '../../platform/quotas/quotas.dto.js';
import { RegistrationService } from './registration.service.js';
import { User } from './user.entity.js';
import type { CreateUserDto, UpdateUserDto, UserDto, UsersListQuery } from './users.dto.js';

export const SORTABLE = ['username', 'role', 'created_at', 'updated_at', 'id'];

/** Lets administrators list, create and change accounts. */
@Injectable()
export class UsersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly registration: RegistrationService,
    private readonly sessions: SessionTokens,
    private readonly tokenChanges: TokenChanges,
    private readonly outbox: OutboxService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async list({ name_contains, role, disabled, ...query }: UsersListQuery): Promise<List<UserDto>> {
    const matching = this.dataSource.getRepository(User).createQueryBuilder('u');
    if (name_contains) {
      matching.andWhere('u.username ILIKE :pattern', { pattern: containsPattern(name_contains) });
    }
    if (role) matching.andWhere('u.role = :role', { role });
    if (disabled !== undefined) matching.andWhere(`u.disabled_at IS ${disabled ? 'NOT ' : ''}NULL`);
    return listPage(matching, query, parseSort(query.sort, SORTABLE), rows => rows.map(toDto));
  }

  async get(id: string): Promise<UserDto> {
    const user = await this.dataSource.getRepository(User).findOneBy({ id });
    if (!user) throw notFound('account', id);
    return toDto(user);
  }

  /** @throws {ApiError} 400, 409 `name_taken`. */
  async create({ username: address, role, password, quotas = {}, expires_at = null }: CreateUserDto): Promise<UserDto> {
    const username = address.toLowerCase();
    const expiresAt = checkExpiry(expires_at, role);
    const id = uuidv7();
    const password_hash = password === undefined ? null : await hashPassword(password, this.config);
    try {
      await this.dataSource.transaction(async manager => {
        const fields = { id, username, role, password_hash, quotas: overriddenBy(quotas), expires_at: expiresAt };
        await manager.insert(User, fields);
        await (password_hash
          ? this.registration.activate(id, manager)
          : this.registration.invite({ id, username, expiresAt }, manager));
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'users_username_key')) throw error;
      throw new ApiError('name_taken', `An account named ${username} already exists.`);
    }
    this.outbox.flush();
    return this.get(id);
  }

  /**
   * @param adminId the administrator who calls; null for the operator of the platform
   * @throws {ApiError} 400, 404, 409 `last_administrator` or `conflict`.
   */
  async update(
    adminId: string | null,
    id: string,
    { role, disabled, quotas, expires_at }: UpdateUserDto,
  ): Promise<UserDto> {
    await this.dataSource.transaction(async manager => {
      const user = await lockUser(manager, id);
      const changesRole = role !== undefined && role !== user.role;
      const disables = disabled === true && user.disabled_at === null;
      if (disables || (changesRole && user.role === 'admin')) await assertDispensable(manager, adminId, user);
      const kept = user.expires_at?.toISOString() ?? null;
      const expiresAt = checkExpiry(expires_at === undefined ? kept : expires_at, role ?? user.role);
      await manager.update(User, id, {
        ...(changesRole ? { role } : {}),
        ...(expires_at === undefined ? {} : { expires_at: expiresAt }),
        ...(disabled === undefined || disabled === (user.disabled_at !== null)
          ? {}
          : { disabled_at: disabled ? new Date() : null }),
        ...(quotas === undefined ? {} : { quotas: overriddenBy(quotas, user.quotas) }),
        updated_at: new Date(),
      });
      if (changesRole || disables) await this.sessions.removeAll(id, manager);
    });
    this.tokenChanges.publish(id);
    return this.get(id);
  }
}

/** @throws {ApiError} 400 for a time in the past, and for an administrator, whose account cannot expire. */
function checkExpiry(expiresAt: string | null, role: Role): Date | null {
  if (expiresAt === null) return null;
  const time = new Date(expiresAt);
  const problem =
    role === 'admin'
      ? 'must be null: accounts of administrators do not expire'
      : time.getTime() <= Date.now() && `must be in the future; you sent ${time.toISOString()}`;
  if (!problem) return time;
  throw new ApiError('validation_failed', `expires_at ${problem}.`, [{ field: 'expires_at', message: problem }]);
}

/**
 * Locks the account until the transaction ends, and returns it. Also locks all administrators, so that two
 * administrators cannot take the role from each other at the same time.
 * @throws {ApiError} 404.
 */
export async function lockUser(manager: EntityManager, id: string): Promise<User> {
  await manager.query(`SELECT 1 FROM users WHERE role = 'admin' OR id = $1 ORDER BY id FOR UPDATE`, [id]);
  const user = await manager.findOneBy(User, { id });
  if (!user) throw notFound('account', id);
  return user;
}

/**
 * Checks that the platform would still have an administrator without this account. Call `lockUser` first.
 * @throws {ApiError} 409 `last_administrator`, or `conflict` for the caller's own account.
 */
export async function assertDispensable(manager: EntityManager, adminId: string | null, user: User): Promise<void> {
  if (user.role !== 'admin') return;
  const [other] = await manager.query<unknown[]>(
    `SELECT 1 FROM users WHERE role = 'admin' AND disabled_at IS NULL AND password_hash IS NOT NULL AND id <> $1 LIMIT 1`,
    [user.id],
  );
  if (!other) {
    throw new ApiError(
      'last_administrator',
      `${user.username} is the last administrator who can sign in. Create another administrator first.`,
    );
  }
  if (user.id !== adminId) return;
  throw new ApiError(
    'conflict',
    'You cannot disable or delete your own account, or take the administrator role from it. Ask another administrator.',
  );
}

const toDto = (user: User): UserDto => ({
  ...entityFields(user),
  username: user.username,
  role: user.role,
  disabled: user.disabled_at !== null,
  activated: user.password_hash !== null,
  expires_at: user.expires_at?.toISOString() ?? null,
  quotas: user.quotas,
});
