import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { ApiError } from '../common/errors.js';
import type { Profile } from './profiles.js';

const TOKEN_BYTES = 32;

interface UsedLink {
  token_hash: Buffer;
  in_time: boolean;
  sign_up: Profile | null;
}

/** Whose a link is, if it still works: not used, not expired, and its account not disabled. */
const USABLE = `SELECT l.user_id, u.username FROM password_links l JOIN users u ON u.id = l.user_id
  WHERE l.token_hash = $1 AND l.expires_at > now() AND u.disabled_at IS NULL`;

/** Links that let whoever has them set the password of an account, once. Only a hash of each is kept. */
@Injectable()
export class PasswordLinksService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Within the caller's transaction. Earlier links of the account go on working until one is used.
   * `profile`: what the sign-up that asks for the link says; it comes back when this link is used.
   */
  async make(
    userId: string,
    hours: number,
    transaction: EntityManager,
    profile: Profile | null = null,
  ): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await transaction.query(
      `INSERT INTO password_links (token_hash, user_id, expires_at, sign_up)
       VALUES ($1, $2, now() + $3 * interval '1 hour', $4)`,
      [hashOf(token), userId, hours, profile && JSON.stringify(profile)],
    );
    return `${this.config.publicUrl}/panel/set-password?token=${token}`;
  }

  /**
   * Looks at a link without using it.
   * @returns the name of its account.
   * @throws {ApiError} 422 `link_not_usable`.
   */
  async usernameOf(token: string): Promise<string> {
    const [link] = await this.dataSource.query<{ username: string }[]>(USABLE, [hashOf(token)]);
    if (!link) throw notUsable();
    return link.username;
  }

  /**
   * Uses the link, and with it every other one of its account. Within the caller's transaction the account's row is locked
   * before any link, so that of several used at once one is first and the others are late.
   * @returns the account's id, and the profile that came with the sign-up that the link is of.
   * @throws {ApiError} 422 `link_not_usable`; the caller's transaction has to end with it.
   */
  async use(token: string, transaction: EntityManager): Promise<{ userId: string; profile: Profile | null }> {
    const [account] = await transaction.query<{ id: string }[]>(
      `SELECT id FROM users
       WHERE id = (SELECT user_id FROM password_links WHERE token_hash = $1) AND disabled_at IS NULL FOR UPDATE`,
      [hashOf(token)],
    );
    if (!account) throw notUsable();
    const [links] = await transaction.query<[UsedLink[], number]>(
      `DELETE FROM password_links WHERE user_id = $1 RETURNING token_hash, expires_at > now() AS in_time, sign_up`,
      [account.id],
    );
    const used = links.find(link => link.in_time && link.token_hash.equals(hashOf(token)));
    if (!used) throw notUsable();
    return { userId: account.id, profile: used.sign_up };
  }

  @Cron('11 * * * *')
  async removeExpired(): Promise<void> {
    // One that is being used is gone in a moment; waiting for it could be waiting for each other.
    await this.dataSource.query(
      `DELETE FROM password_links WHERE token_hash IN (
         SELECT token_hash FROM password_links WHERE expires_at < now() FOR UPDATE SKIP LOCKED)`,
    );
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const notUsable = (): ApiError =>
  new ApiError('link_not_usable', 'This link was used already, or its time is over. Ask for a new one.');
