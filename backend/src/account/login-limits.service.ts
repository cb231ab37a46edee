import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { ApiError } from '../common/errors.js';
import { SecretBox } from '../common/secret-box.service.js';
import { LoginRateWindow } from './login-rate-window.js';

const WINDOW_MS = 15 * 60_000;
const TRIES_FROM_ONE_ADDRESS = 10;
const TRIES_FROM_ALL = 100;
/** An address counts as known for this many days after the last login from it. */
const ADDRESS_DAYS = 90;

/**
 * Limits how often a password can be guessed: failed tries per user name and address, and per user name from all
 * addresses. The second limit does not apply to addresses from which somebody has signed in to the account before.
 * Otherwise an attacker could lock the owner out. Unknown user names have the same limits as known ones. Each backend
 * counts separately.
 */
@Injectable()
export class LoginLimits {
  readonly #fromOneAddress = new LoginRateWindow(TRIES_FROM_ONE_ADDRESS, WINDOW_MS);
  readonly #fromAll = new LoginRateWindow(TRIES_FROM_ALL, WINDOW_MS);
  readonly #ownPassword = new LoginRateWindow(TRIES_FROM_ONE_ADDRESS, WINDOW_MS);

  constructor(
    private readonly dataSource: DataSource,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * Call it before the password is checked. The try counts as failed until `succeeded` is called.
   * @throws {ApiError} 429 `too_many_requests`.
   */
  async take(username: string, address: string): Promise<void> {
    const waitMs = this.#fromOneAddress.take(pairOf(username, address));
    if (waitMs > 0) throw tooMany('this user name from this address', waitMs);
    const waitForAllMs = this.#fromAll.take(username);
    if (waitForAllMs > 0 && !(await this.#isKnownAddress(username, address)))
      throw tooMany('this user name', waitForAllMs);
  }

  async succeeded(userId: string, username: string, address: string): Promise<void> {
    this.#fromOneAddress.reset(pairOf(username, address));
    this.#fromAll.refund(username);
    await this.dataSource.query(
      `INSERT INTO login_addresses (user_id, address) SELECT id, $2 FROM users WHERE id = $1
       ON CONFLICT (user_id, address) DO UPDATE SET last_at = now()
         WHERE login_addresses.last_at < now() - interval '1 day'`,
      [userId, this.#digest(username, address)],
    );
  }

  /**
   * Limits how often a signed-in user may enter the current password.
   * @throws {ApiError} 429 `too_many_requests`.
   */
  takeOwn(userId: string): void {
    const waitMs = this.#ownPassword.take(userId);
    if (waitMs > 0) throw tooMany('your password', waitMs);
  }

  succeededOwn(userId: string): void {
    this.#ownPassword.reset(userId);
  }

  @Cron('47 3 * * *')
  async removeOldAddresses(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM login_addresses WHERE last_at < now() - ${ADDRESS_DAYS} * interval '1 day'`,
    );
  }

  async #isKnownAddress(username: string, address: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM login_addresses a JOIN users u ON u.id = a.user_id WHERE u.username = $1 AND a.address = $2`,
      [username, this.#digest(username, address)],
    );
    return rows.length > 0;
  }

  #digest(username: string, address: string): Buffer {
    return this.secretBox.digest('login address', username, address);
  }
}

const pairOf = (username: string, address: string): string => `${address} ${username}`;

function tooMany(what: string, waitMs: number): ApiError {
  const minutes = Math.ceil(waitMs / 60_000);
  return new ApiError(
    'too_many_requests',
    `Too many failed tries for ${what}. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`,
    undefined,
    Math.ceil(waitMs / 1_000),
  );
}
