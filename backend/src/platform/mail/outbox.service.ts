import { setTimeout as delay } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { LOGGER } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.service.js';
import { Cleanups } from '../database/cleanups.service.js';
import { DueWork } from '../database/due-work.service.js';
import { MAIL_TRANSPORT, type Mail, type MailTransport, RefusedMail } from './mail-transport.js';
import { mailbox } from './mailbox.js';

export type MailKind =
  | 'activation'
  | 'password_reset'
  | 'account_exists'
  | 'contact'
  | 'worker_wanted'
  | 'notification';

/**
 * E-mails of these kinds are sent after all others, because no user waits for them. For the others, a user waits with
 * the page open.
 */
const LOW_PRIORITY: MailKind[] = ['contact', 'worker_wanted', 'notification'];

/** Number of concurrent senders, so that one slow mail server does not delay the rest. */
const MAX_SENDERS = 4;
const POLL_MS = 15_000;
const STOP_TIMEOUT_MS = 3_000;

/** SQL on `outgoing_mails`: whether the e-mail is to be sent now. */
const IS_DUE = 'message IS NOT NULL AND next_attempt_at <= now() AND send_before > now()';

interface DueMail {
  id: string;
  kind: MailKind;
  message: Buffer;
  attempts: number;
}

/**
 * Stores each e-mail as a row in the transaction that causes it, and sends it later. So no e-mail is lost, none is sent
 * if the transaction is rolled back, and requests never wait for a mail server. If sending fails, it is tried again
 * after 1, 2, 4 … 60 minutes until the e-mail expires. The text, which may contain a password link, is encrypted, and
 * is deleted after sending.
 */
@Injectable()
export class OutboxService implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  readonly #senders = new Set<Promise<void>>();
  /**
   * Number of `flush` calls. When a sender finds no more e-mails, it looks again if `flush` was called in the meantime.
   */
  #flushes = 0;
  #stopping = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secretBox: SecretBox,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
    @Inject(MAIL_TRANSPORT) private readonly transport: MailTransport,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    // The transport may keep files.
    this.cleanups.add('e-mails', 'hourly', () => this.removeOld(), { ofFiles: true });
    this.dueWork.add('e-mails', {
      everyMs: POLL_MS,
      find: () => `EXISTS (SELECT FROM outgoing_mails WHERE ${IS_DUE})`,
      run: async () => this.flush(),
    });
  }

  /**
   * Adds an e-mail in the caller's transaction. Call `flush` after its commit.
   * @param usefulHours number of hours after which the e-mail is deleted if it has not been sent.
   */
  async add(transaction: EntityManager, kind: MailKind, mail: Mail, usefulHours: number): Promise<void> {
    const id = uuidv7();
    await transaction.query(
      `INSERT INTO outgoing_mails (id, kind, recipient, message, send_before)
       VALUES ($1, $2, $3, $4, now() + $5 * interval '1 hour')`,
      [id, kind, mailbox(mail.to), this.secretBox.seal(JSON.stringify(mail), id), usefulHours],
    );
  }

  /** Counts e-mails of a kind to a mailbox within the last hour and the last day. */
  async countRecent(
    transaction: EntityManager,
    recipient: string,
    kind: MailKind,
  ): Promise<{ hour: number; day: number }> {
    const [row] = await transaction.query<{ hour: number; day: number }[]>(
      `SELECT count(*) FILTER (WHERE created_at > now() - interval '1 hour')::int AS hour, count(*)::int AS day
       FROM outgoing_mails WHERE recipient = $1 AND kind = $2 AND created_at > now() - interval '1 day'`,
      [mailbox(recipient), kind],
    );
    return row ?? { hour: 0, day: 0 };
  }

  /** Sends due e-mails in the background. */
  flush(): void {
    if (this.#stopping) return;
    this.#flushes += 1;
    if (this.#senders.size < MAX_SENDERS) {
      const sender = this.#sendDue().finally(() => this.#senders.delete(sender));
      this.#senders.add(sender);
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopping = true;
    // Wait a limited time for e-mails that are being sent. One that takes longer counts as not sent, and is sent again
    // later.
    await Promise.race([Promise.all(this.#senders), delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /** Sends due e-mails one after another. Up to `MAX_SENDERS` of these run concurrently. */
  async #sendDue(): Promise<void> {
    try {
      for (let seen = -1; seen !== this.#flushes; ) {
        seen = this.#flushes;
        for (let mail = await this.#claim(); mail; mail = this.#stopping ? undefined : await this.#claim()) {
          await this.#send(mail);
        }
      }
    } catch (error) {
      this.logger.error({ err: error }, 'failed to read the outbox');
    }
  }

  /**
   * Takes a due e-mail and sets the time of its next attempt. So an e-mail is not lost if the backend crashes while
   * sending it, but it may be sent twice.
   */
  async #claim(): Promise<DueMail | undefined> {
    const [rows] = await this.dataSource.query<[DueMail[], number]>(
      `UPDATE outgoing_mails
       SET attempts = attempts + 1, next_attempt_at = now() + least(power(2, least(attempts, 6)), 60) * interval '1 minute'
       WHERE id = (SELECT id FROM outgoing_mails
                   WHERE ${IS_DUE}
                   ORDER BY kind = ANY($1), next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, kind, message, attempts`,
      [LOW_PRIORITY],
    );
    return rows[0];
  }

  async #send({ id, kind, message, attempts }: DueMail): Promise<void> {
    try {
      const sent = await this.transport.send(JSON.parse(this.secretBox.open(message, id)) as Mail);
      this.logger.info({ mail: id, kind, ...sent }, 'file' in sent ? 'e-mail written to file' : 'e-mail sent');
    } catch (error) {
      if (!(error instanceof RefusedMail)) {
        this.logger.warn({ err: error, mail: id, kind, attempts }, 'failed to send e-mail; retrying later');
        return;
      }
      this.logger.warn({ err: error, mail: id, kind }, 'e-mail refused by the mail server; dropped');
    }
    await this.dataSource.query(`UPDATE outgoing_mails SET message = NULL, done_at = now() WHERE id = $1`, [id]);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.removeOld();
  }

  async removeOld(): Promise<void> {
    await this.transport.removeOld?.();
    await this.dataSource.query(`DELETE FROM outgoing_mails WHERE done_at < now() - interval '24 hours'`);
    const [unsent] = await this.dataSource.query<[{ id: string; kind: MailKind }[], number]>(
      `DELETE FROM outgoing_mails WHERE message IS NOT NULL AND send_before < now() RETURNING id, kind`,
    );
    for (const { id, kind } of unsent) {
      this.logger.error({ mail: id, kind }, 'e-mail not sent in time; dropped');
    }
  }
}
