import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { ApiError } from '../common/errors.js';

const TOKEN_BYTES = 32;

/** Whose a link is, if it still works: not used, not expired, and its account not disabled. */
const USABLE = `SELECT l.user_id FROM password_links l JOIN users u ON u.id = l.user_id
  WHERE l.token_hash = $1 AND l.expires_at > now() AND u.disabled_at IS NULL`;

/** Links that let whoever has them set the password of an account, once. Only a hash of each is kept. */
@Injectable()
export class PasswordLinksService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Within the caller's transaction. Earlier links of the account go on working until one is used. */
  async make(userId: string, hours: number, transaction: EntityManager): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await transaction.query(
      `INSERT INTO password_links (token_hash, user_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 hour')`,
      [hashOf(token), userId, hours],
    );
    return `${this.config.publicUrl}/panel/set-password?token=${token}`;
  }

  /** @throws {ApiError} 422 `link_not_usable`, without using the link. */
  async check(token: string): Promise<void> {
    const rows = await this.dataSource.query<unknown[]>(USABLE, [hashOf(token)]);
    if (rows.length === 0) throw notUsable();
  }

  /**
   * Uses the link, and with it every other one of its account.
   * @returns the account's id. Within the caller's transaction its row is locked, so that of two links used at once one is late.
   * @throws {ApiError} 422 `link_not_usable`.
   */
  async use(token: string, transaction: EntityManager): Promise<string> {
    const [link] = await transaction.query<{ user_id: string }[]>(`${USABLE} FOR UPDATE`, [hashOf(token)]);
    if (!link) throw notUsable();
    await transaction.query(`DELETE FROM password_links WHERE user_id = $1`, [link.user_id]);
    return link.user_id;
  }

  @Cron('11 * * * *')
  async removeExpired(): Promise<void> {
    await this.dataSource.query(`DELETE FROM password_links WHERE expires_at < now()`);
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const notUsable = (): ApiError =>
  new ApiError('link_not_usable', 'This link was used already, or its time is over. Ask for a new one.');
