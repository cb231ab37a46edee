import { randomBytes } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { type DeletedDto, entityFields } from '../../../platform/common/entity.js';
import { notFound } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import { type List, type ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import { listPage } from '../../../platform/http/lists/list-rows.js';
import { OutboxService } from '../../../platform/mail/outbox.service.js';
import { UsersService } from '../../users/users.service.js';
import type { ContactMessageFields, SentFrom } from '../forms/form-rules.js';
import { contactMail } from './contact-mail.js';
import { ContactMessage } from './contact-message.entity.js';
import type { ContactMessageDto, DemoAccountDto } from './contact-messages.dto.js';

export const SORTABLE = ['created_at'];
const KEPT_DAYS = 365;
const WEEK_HOURS = 7 * 24;
const DAY_MS = 24 * 60 * 60_000;
const PASSWORD_BYTES = 15;

@Injectable()
export class ContactMessagesService implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    private readonly users: UsersService,
    private readonly cleanups: Cleanups,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('contact messages', 'hourly', () => this.removeOld());
  }

  /** Saves the message and e-mails a copy to `CONTACT_EMAIL`, or else to each administrator. */
  async save(fields: ContactMessageFields & SentFrom, seenIp: string): Promise<void> {
    const id = uuidv7();
    await this.dataSource.transaction(async manager => {
      await manager.insert(ContactMessage, { ...fields, id, seen_ip: seenIp });
      for (const to of await this.#recipients(manager)) {
        await this.outbox.add(manager, 'contact', contactMail(to, fields, seenIp, this.config.publicUrl), WEEK_HOURS);
      }
    });
    this.logger.info({ contact_message: id }, 'contact message saved');
    this.outbox.flush();
  }

  /** The accounts of the first start have no e-mail address; the others sign in with theirs. */
  async #recipients(manager: EntityManager): Promise<string[]> {
    const { contactEmail } = this.config;
    if (contactEmail !== undefined) return [contactEmail];
    const administrators = await manager.query<{ username: string }[]>(
      `SELECT username FROM users
       WHERE role = 'admin' AND disabled_at IS NULL AND password_hash IS NOT NULL AND username LIKE '%@%'
       ORDER BY id`,
    );
    return administrators.map(({ username }) => username);
  }

  async list(query: ListQuery): Promise<List<ContactMessageDto>> {
    const rows = this.dataSource.getRepository(ContactMessage).createQueryBuilder('m');
    return listPage(rows, query, parseSort(query.sort, SORTABLE), found => found.map(toDto));
  }

  /** @throws {ApiError} 404. */
  async get(id: string): Promise<ContactMessageDto> {
    const row = await this.dataSource.getRepository(ContactMessage).findOneBy({ id });
    if (!row) throw notFound('contact message', id);
    return toDto(row);
  }

  /**
   * Creates an account for the visitor that expires. Without an SMTP server, the password is in the result, because the
   * visitor would not receive the e-mail with the link.
   * @throws {ApiError} 404, 409 `name_taken`.
   */
  async createDemoAccount(id: string, days: number): Promise<DemoAccountDto> {
    const { email } = await this.get(id);
    const password = this.config.smtpUrl === undefined ? randomBytes(PASSWORD_BYTES).toString('base64url') : undefined;
    const expires_at = new Date(Date.now() + days * DAY_MS).toISOString();
    const user = await this.users.create({
      username: email,
      role: 'developer',
      expires_at,
      ...(password ? { password } : {}),
    });
    return { id: user.id, username: user.username, password: password ?? null, expires_at };
  }

  /** @throws {ApiError} 404. */
  async delete(id: string): Promise<DeletedDto> {
    const { affected } = await this.dataSource.getRepository(ContactMessage).delete({ id });
    if (!affected) throw notFound('contact message', id);
    return { deleted: { contact_messages: 1 } };
  }

  /**
   * Delete old messages at the start, too, because a backend that is restarted often might never run at the scheduled
   * time.
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.removeOld();
  }

  async removeOld(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM contact_messages WHERE created_at < now() - ${KEPT_DAYS} * interval '1 day'`,
    );
  }
}

const toDto = (row: ContactMessage): ContactMessageDto => ({
  ...entityFields(row),
  name: row.name,
  email: row.email,
  country: row.country,
  subject: row.subject,
  msg: row.msg,
  ip: row.ip,
  seen_ip: row.seen_ip,
  time: row.time,
  referer: row.referer,
});
