import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { ApiError } from '../common/errors.js';
import { SecretBox } from '../common/secret-box.js';
import { TryCounter } from './try-counter.js';

const WINDOW_MS = 15 * 60_000;
const TRIES_FROM_ONE_ADDRESS = 10;
const TRIES_FROM_ALL = 100;
/** How long an address that signed in is remembered. */
const ADDRESS_DAYS = 90;

/**
 * How often a password may be guessed. Failed tries count for an account from one address, and for an account from
 * everywhere; the second limit does not hold for addresses that signed in to the account before, so that no stranger can
 * keep its owner out. A name that no account has is treated as if it had one. Each backend counts for itself.
 */
@Injectable()
export class LoginLimits {
  readonly #fromOneAddress = new TryCounter(TRIES_FROM_ONE_ADDRESS, WINDOW_MS);
  readonly #fromAll = new TryCounter(TRIES_FROM_ALL, WINDOW_MS);
  readonly #ofOwner = new TryCounter(TRIES_FROM_ONE_ADDRESS, WINDOW_MS);

  constructor(
    private readonly dataSource: DataSource,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * Before a password is looked at; it counts as failed until `succeeded` says otherwise.
   * @throws {ApiError} 429 `too_many_requests`.
   */
  async take(username: string, address: string): Promise<void> {
    const waitMs = this.#fromOneAddress.take(pairOf(username, address));
    if (waitMs > 0) throw tooMany('this user name from this address', waitMs);
    const waitForAllMs = this.#fromAll.take(username);
    if (waitForAllMs > 0 && !(await this.#isKnown(username, address))) throw tooMany('this user name', waitForAllMs);
  }

  async succeeded(userId: string, username: string, address: string): Promise<void> {
    this.#fromOneAddress.forget(pairOf(username, address));
    this.#fromAll.giveBack(username);
    await this.dataSource.query(
      `INSERT INTO login_addresses (user_id, address) SELECT id, $2 FROM users WHERE id = $1
       ON CONFLICT (user_id, address) DO UPDATE SET last_at = now()
         WHERE login_addresses.last_at < now() - interval '1 day'`,
      [userId, this.#digest(username, address)],
    );
  }

  /**
   * The same for somebody who is signed in and says the password once more.
   * @throws {ApiError} 429 `too_many_requests`.
   */
  takeOwn(userId: string): void {
    const waitMs = this.#ofOwner.take(userId);
    if (waitMs > 0) throw tooMany('your password', waitMs);
  }

  succeededOwn(userId: string): void {
    this.#ofOwner.forget(userId);
  }

  @Cron('47 3 * * *')
  async forgetOldAddresses(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM login_addresses WHERE last_at < now() - ${ADDRESS_DAYS} * interval '1 day'`,
    );
  }

  async #isKnown(username: string, address: string): Promise<boolean> {
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
