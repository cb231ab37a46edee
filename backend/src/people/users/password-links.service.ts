import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { ApiError } from '../../platform/common/errors.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import type { Profile } from './profiles.js';

/** How long links are valid. */
export const LINK_HOURS = {
  activation: 24,
  /** Longer than for a sign-up, because an invited person does not expect the e-mail and may read it days later. */
  invitation: 7 * 24,
  password_reset: 1,
};
const TOKEN_BYTES = 32;

interface UsedLink {
  token_hash: Buffer;
  in_time: boolean;
  sign_up: Profile | null;
}

const ACTIVE = 'u.disabled_at IS NULL AND (u.expires_at IS NULL OR u.expires_at > now())';

/** Finds the account of a link. The link must not be used or expired, and the account must not be disabled or expired. */
const USABLE = `SELECT l.user_id, u.username FROM password_links l JOIN users u ON u.id = l.user_id
  WHERE l.token_hash = $1 AND l.expires_at > now() AND ${ACTIVE}`;

/** Single-use links to set an account's password. The database stores only their hashes. */
@Injectable()
export class PasswordLinksService implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('password links', 'hourly', () => this.removeExpired());
  }

  /**
   * Creates a link in the caller's transaction. Earlier links of the account stay valid until one of them is used.
   * @param profile from the sign-up form; `use` returns it.
   */
  async create(
    userId: string,
    kind: keyof typeof LINK_HOURS,
    transaction: EntityManager,
    profile: Profile | null = null,
  ): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await transaction.query(
      `INSERT INTO password_links (token_hash, user_id, expires_at, sign_up)
       VALUES ($1, $2, now() + $3 * interval '1 hour', $4)`,
      [hashOf(token), userId, LINK_HOURS[kind], profile && JSON.stringify(profile)],
    );
    // Browsers do not send the part after #, so the token is in no log of a server or proxy on the way.
    return `${this.config.publicUrl}/panel/set-password#token=${token}`;
  }

  /**
   * Returns the user name of the link's account, without using the link.
   * @throws {ApiError} 422 `link_not_usable`.
   */
  async usernameOf(token: string): Promise<string> {
    const [link] = await this.dataSource.query<{ username: string }[]>(USABLE, [hashOf(token)]);
    if (!link) throw notUsable();
    return link.username;
  }

  /**
   * Uses the link and invalidates all other links of its account. Locks the account's row before the links, so if two
   * calls use a link at the same time, the first succeeds and the other fails.
   * @returns the account's id, and the profile that was given to `create`.
   * @throws {ApiError} 422 `link_not_usable`; the caller must roll its transaction back.
   */
  async use(token: string, transaction: EntityManager): Promise<{ userId: string; profile: Profile | null }> {
    const [account] = await transaction.query<{ id: string }[]>(
      `SELECT u.id FROM users u
       WHERE u.id = (SELECT user_id FROM password_links WHERE token_hash = $1) AND ${ACTIVE} FOR UPDATE`,
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

  /** Invalidates all links of an account, in the caller's transaction. */
  async removeAll(userId: string, transaction: EntityManager): Promise<void> {
    await transaction.query('DELETE FROM password_links WHERE user_id = $1', [userId]);
  }

  async removeExpired(): Promise<void> {
    // Skip links that are in use: waiting for their locks could cause a deadlock.
    await this.dataSource.query(
      `DELETE FROM password_links WHERE token_hash IN (
         SELECT token_hash FROM password_links WHERE expires_at < now() FOR UPDATE SKIP LOCKED)`,
    );
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const notUsable = (): ApiError =>
  new ApiError('link_not_usable', 'This link was already used or has expired. Request a new one.');
