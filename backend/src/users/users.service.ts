import { Injectable } from '@nestjs/common';
import { hash } from '@node-rs/argon2';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CallerChanges } from '../auth/caller-changes.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { entityFields } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { type List, parseSort } from '../common/list-query.js';
import { containsPattern, listPage } from '../common/list-rows.js';
import { isUniqueViolation } from '../common/unique-violation.js';
import { OutboxService } from '../mail/outbox.service.js';
import { overriddenBy } from '../quotas/quotas.dto.js';
import { AccountsService } from '../www/accounts.service.js';
import { User } from './user.entity.js';
import type { CreateUserDto, UpdateUserDto, UserDto, UsersListQuery } from './users.dto.js';

const SORTABLE = ['username', 'role', 'created_at', 'updated_at', 'id'];

/** Accounts, as administrators see them. */
@Injectable()
export class UsersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly callerChanges: CallerChanges,
    private readonly outbox: OutboxService,
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

  /** @throws {ApiError} 409 `name_taken`. */
  async create({ username: address, role, password, quotas = {} }: CreateUserDto): Promise<UserDto> {
    const username = address.toLowerCase();
    const id = uuidv7();
    const password_hash = password === undefined ? null : await hash(password);
    try {
      await this.dataSource.transaction(async manager => {
        await manager.insert(User, { id, username, role, password_hash, quotas: overriddenBy(quotas) });
        await (password_hash ? this.accounts.open(id, manager) : this.accounts.invite(id, username, manager));
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'users_username_key')) throw error;
      throw new ApiError('name_taken', `There is an account with the name ${username} already.`);
    }
    this.outbox.flush();
    return this.get(id);
  }

  /** @throws {ApiError} 404, 409 `last_administrator` or `conflict`. */
  async update(adminId: string, id: string, { role, disabled, quotas }: UpdateUserDto): Promise<UserDto> {
    await this.dataSource.transaction(async manager => {
      const user = await lockUser(manager, id);
      const changesRole = role !== undefined && role !== user.role;
      const disables = disabled === true && user.disabled_at === null;
      if (disables || (changesRole && user.role === 'admin')) await checkDispensable(manager, adminId, user);
      await manager.update(User, id, {
        ...(changesRole ? { role } : {}),
        ...(disabled === undefined || disabled === (user.disabled_at !== null)
          ? {}
          : { disabled_at: disabled ? new Date() : null }),
        ...(quotas === undefined ? {} : { quotas: overriddenBy(quotas, user.quotas) }),
        updated_at: new Date(),
      });
      if (changesRole || disables) await this.sessions.removeAll(id, manager);
    });
    this.callerChanges.tell(id);
    return this.get(id);
  }
}

/**
 * The account, locked until the transaction ends; administrators are all locked, so that two of them cannot take the role
 * from each other at once.
 * @throws {ApiError} 404.
 */
export async function lockUser(manager: EntityManager, id: string): Promise<User> {
  await manager.query(`SELECT 1 FROM users WHERE role = 'admin' OR id = $1 ORDER BY id FOR UPDATE`, [id]);
  const user = await manager.findOneBy(User, { id });
  if (!user) throw notFound('account', id);
  return user;
}

/**
 * That the platform and whoever asks can do without this account; call `lockUser` before.
 * @throws {ApiError} 409 `last_administrator`, or `conflict` for one’s own account.
 */
export async function checkDispensable(manager: EntityManager, adminId: string, user: User): Promise<void> {
  if (user.role !== 'admin') return;
  const [other] = await manager.query<unknown[]>(
    `SELECT 1 FROM users WHERE role = 'admin' AND disabled_at IS NULL AND password_hash IS NOT NULL AND id <> $1 LIMIT 1`,
    [user.id],
  );
  if (!other) {
    throw new ApiError(
      'last_administrator',
      `${user.username} is the last administrator who can sign in. Make another one first.`,
    );
  }
  if (user.id !== adminId) return;
  throw new ApiError(
    'conflict',
    'This is your own account: you would lose what you do it with. Let another administrator do it.',
  );
}

const toDto = (user: User): UserDto => ({
  ...entityFields(user),
  username: user.username,
  role: user.role,
  disabled: user.disabled_at !== null,
  activated: user.password_hash !== null,
  quotas: user.quotas,
});
