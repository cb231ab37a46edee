import { randomBytes } from 'node:crypto';
import { LIMITS } from '@trawl/contracts';
import { RegistrationService } from '../../../people/users/registration.service.js';
import type { UserDto } from '../../../people/users/users.dto.js';
import { UsersService } from '../../../people/users/users.service.js';
import { isMailAddress, MAIL_ADDRESS_EXPECTED } from '../../../platform/common/mail-address.js';
import { AdminError } from '../admin-error.js';
import { print, printTable, readPassword } from '../terminal.js';
import { withAccounts } from './accounts.js';

const PAGE = 1_000;

interface PasswordOptions {
  random?: true;
}

/** `trawl-admin user list` */
export async function list(): Promise<void> {
  await withAccounts(async app => {
    const rows = (await allOf(app.get(UsersService))).map(user => [
      user.username,
      user.role,
      stateOf(user),
      user.created_at.slice(0, 10),
    ]);
    printTable(['USER', 'ROLE', 'STATE', 'CREATED'], rows);
  });
}

/** `trawl-admin user add EMAIL` */
export async function add(email: string, { admin, ...options }: PasswordOptions & { admin?: true }): Promise<void> {
  if (!isMailAddress(email)) throw new AdminError(`${email} must be ${MAIL_ADDRESS_EXPECTED}.`);
  const password = await choosePassword(options);
  await withAccounts(async app => {
    const user = await app.get(UsersService).create({ username: email, role: admin ? 'admin' : 'developer', password });
    print(`Added ${user.username} as ${user.role}.`);
    if (options.random) print(`Password: ${password}`);
  });
}

/** `trawl-admin user enable USER` */
export const enable = (name: string): Promise<void> => setDisabled(name, false);

/** `trawl-admin user disable USER` */
export const disable = (name: string): Promise<void> => setDisabled(name, true);

/** `trawl-admin password USER` */
export async function password(name: string, options: PasswordOptions): Promise<void> {
  await withAccounts(async app => {
    const user = await find(app.get(UsersService), name);
    const chosen = await choosePassword(options);
    await app.get(RegistrationService).replacePassword(user.id, chosen);
    print(`The password of ${user.username} is changed and all its sessions have ended.`);
    if (options.random) print(`Password: ${chosen}`);
  });
}

async function setDisabled(name: string, disabled: boolean): Promise<void> {
  await withAccounts(async app => {
    const users = app.get(UsersService);
    const { id, username } = await find(users, name);
    await users.update(null, id, { disabled });
    print(disabled ? `${username} is disabled. Its sessions have ended.` : `${username} is enabled.`);
  });
}

async function choosePassword({ random }: PasswordOptions): Promise<string> {
  const chosen = random ? randomBytes(15).toString('base64url') : await readPassword();
  const { min, max } = LIMITS.passwordChars;
  if (chosen.length < min || chosen.length > max || !/\S/.test(chosen)) {
    throw new AdminError(
      `The password must have ${min} to ${max} characters, one of them visible; it has ${chosen.length}. Nothing was changed.`,
    );
  }
  return chosen;
}

async function find(users: UsersService, name: string): Promise<UserDto> {
  const username = name.trim().toLowerCase();
  const user = (await allOf(users, username)).find(account => account.username === username);
  if (user) return user;
  throw new AdminError(`There is no account named ${username}. List all: trawl-admin user list`);
}

async function allOf(users: UsersService, nameContains?: string): Promise<UserDto[]> {
  const found: UserDto[] = [];
  for (let after: string | undefined; ; ) {
    const filter = { ...(nameContains && { name_contains: nameContains }), ...(after && { after }) };
    const page = await users.list({ limit: PAGE, skip: 0, sort: 'username', ...filter });
    found.push(...page.items);
    if (!page.next) return found;
    after = page.next;
  }
}

function stateOf({ disabled, activated, expires_at }: UserDto): string {
  if (disabled) return 'disabled';
  if (!activated) return 'invited';
  return expires_at ? `until ${expires_at.slice(0, 10)}` : 'active';
}
