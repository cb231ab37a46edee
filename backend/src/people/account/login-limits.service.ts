import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SHARES } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { ApiError } from '../../platform/common/errors.js';
import { SecretBox } from '../../platform/common/secret-box.service.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { RedisService } from '../../platform/redis/redis.service.js';
import { type RateWindow, SharedRateWindow } from '../../platform/redis/shared-rate-window.js';
import { LoginRateWindow } from './login-rate-window.js';

const WINDOW_MS = 15 * 60_000;
const TRIES_OF_CALLER = SHARES.failedLoginsFromOneAddress;
const TRIES_OF_NAME = SHARES.failedLogins;
/** An address counts as known for this many days after the last login from it. */
const ADDRESS_DAYS = 90;

/**
 * Limits how often a password can be guessed: failed tries of a caller, and failed tries for a user name from all addresses.
 * A caller is a user name with an address, or a signed-in user who enters the own password. The second limit does not
 * apply to addresses from which somebody has signed in to the account before.
 * Otherwise an attacker could lock the owner out. Unknown user names have the same limits as known ones.
 * Without Redis, each backend counts separately.
 * See docs/decisions/0364-sign-in-and-forms.md.
 */
@Injectable()
export class LoginLimits implements OnModuleInit {
  /** Failed tries of one caller: a user name with an address, or a signed-in user. */
  readonly #ofCaller: RateWindow;
  /** Failed tries for a user name, from all addresses. */
  readonly #ofName: RateWindow;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secretBox: SecretBox,
    redis: RedisService,
    private readonly cleanups: Cleanups,
  ) {
    const windowOf = (name: string, limit: number) =>
      new SharedRateWindow(new LoginRateWindow(limit, WINDOW_MS), redis, { name, limit, windowMs: WINDOW_MS });
    this.#ofCaller = windowOf('login from one', TRIES_OF_CALLER);
    this.#ofName = windowOf('login from all', TRIES_OF_NAME);
  }

  onModuleInit(): void {
    this.cleanups.add('addresses of sign-ins', 'nightly', () => this.removeOldAddresses());
  }

  /**
   * Call it before the password is checked. The try counts as failed until `succeeded` is called.
   * @throws {ApiError} 429 `too_many_requests`.
   */
  async take(username: string, address: string): Promise<void> {
    const waitMs = await this.#ofCaller.take(this.#keyOf(username, address));
    if (waitMs > 0) throw tooMany('this user name from this address', waitMs);
    const waitForAllMs = await this.#ofName.take(this.#keyOf(username));
    if (waitForAllMs > 0 && !(await this.#isKnownAddress(username, address)))
      throw tooMany('this user name', waitForAllMs);
  }

  async succeeded(userId: string, username: string, address: string): Promise<void> {
    await this.#ofCaller.reset(this.#keyOf(username, address));
    await this.#ofName.refund(this.#keyOf(username));
    await this.dataSource.query(
      `INSERT INTO login_addresses (user_id, address) SELECT id, $2 FROM users WHERE id = $1
       ON CONFLICT (user_id, address) DO UPDATE SET last_at = now()
         WHERE login_addresses.last_at < now() - interval '1 day'`,
      [userId, this.#digests(username, address)[0]],
    );
  }

  /**
   * Limits how often a signed-in user may enter the current password.
   * @throws {ApiError} 429 `too_many_requests`.
   */
  async takeOwn(userId: string): Promise<void> {
    const waitMs = await this.#ofCaller.take(this.#keyOf(userId));
    if (waitMs > 0) throw tooMany('your password', waitMs);
  }

  async succeededOwn(userId: string): Promise<void> {
    await this.#ofCaller.reset(this.#keyOf(userId));
  }

  async removeOldAddresses(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM login_addresses WHERE last_at < now() - ${ADDRESS_DAYS} * interval '1 day'`,
    );
  }

  async #isKnownAddress(username: string, address: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM login_addresses a JOIN users u ON u.id = a.user_id WHERE u.username = $1 AND a.address = ANY ($2)`,
      [username, this.#digests(username, address)],
    );
    return rows.length > 0;
  }

  /** The limits may be counted in Redis, which must not learn names and addresses. */
  #keyOf(...parts: string[]): string {
    return this.secretBox.digest('login tries', ...parts).toString('base64url');
  }

  #digests(username: string, address: string): Buffer[] {
    return this.secretBox.digests('login address', username, address);
  }
}

function tooMany(what: string, waitMs: number): ApiError {
  const minutes = Math.ceil(waitMs / 60_000);
  return new ApiError(
    'too_many_requests',
    `Too many failed tries for ${what}. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`,
    undefined,
    Math.ceil(waitMs / 1_000),
  );
}
