import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Cron, Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { LOGGER } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { MAIL_TRANSPORT, type Mail, type MailTransport, RefusedMail } from './mail-transport.js';

export type MailKind =
  | 'activation'
  | 'password_reset'
  | 'account_exists'
  | 'contact'
  | 'worker_wanted'
  | 'schedule_problem';

/** Nobody waits for these with the page open: links go first. */
const TO_THE_OPERATOR: MailKind[] = ['contact', 'worker_wanted'];

/** So that one slow server or hanging connection does not hold up the rest. */
const AT_ONCE = 4;
const LOOK_MS = 15_000;
const STOP_WITHIN_MS = 3_000;

interface DueMail {
  id: string;
  kind: MailKind;
  message: Buffer;
  attempts: number;
}

/**
 * E-mails to be sent. Each is a row, written in the transaction that it belongs to, so that none is lost and none is sent
 * for what did not happen; requests never wait for a mail server. What cannot be sent is tried again after 1, 2, 4 … 60
 * minutes, until it would be of no use. The text, which may hold a link that sets a password, is encrypted and goes when it is sent.
 */
@Injectable()
export class OutboxService implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #senders = new Set<Promise<void>>();
  /** How often it was asked to send: a sender that found nothing before the last time looks again. */
  #asked = 0;
  #stopping = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secretBox: SecretBox,
    @Inject(MAIL_TRANSPORT) private readonly transport: MailTransport,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Within the caller's transaction; call `flush` after its commit. `usefulHours`: after that it is not sent any more. */
  async add(transaction: EntityManager, kind: MailKind, mail: Mail, usefulHours: number): Promise<void> {
    const id = uuidv7();
    await transaction.query(
      `INSERT INTO outgoing_mails (id, kind, recipient, message, send_before)
       VALUES ($1, $2, $3, $4, now() + $5 * interval '1 hour')`,
      [id, kind, mailbox(mail.to), this.secretBox.seal(JSON.stringify(mail), id), usefulHours],
    );
  }

  /** How many e-mails of a kind were written for a mailbox within the last hour and the last day. */
  async written(transaction: EntityManager, recipient: string, kind: MailKind): Promise<{ hour: number; day: number }> {
    const [row] = await transaction.query<{ hour: number; day: number }[]>(
      `SELECT count(*) FILTER (WHERE created_at > now() - interval '1 hour')::int AS hour, count(*)::int AS day
       FROM outgoing_mails WHERE recipient = $1 AND kind = $2 AND created_at > now() - interval '1 day'`,
      [mailbox(recipient), kind],
    );
    return row ?? { hour: 0, day: 0 };
  }

  /** Sends what is due, in the background. */
  @Interval(LOOK_MS)
  flush(): void {
    if (this.#stopping) return;
    this.#asked += 1;
    if (this.#senders.size < AT_ONCE) {
      const sender = this.#sendDue().finally(() => this.#senders.delete(sender));
      this.#senders.add(sender);
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopping = true;
    // What is under way at the mail server longer than this counts as not sent, and is sent again.
    await Promise.race([Promise.all(this.#senders), delay(STOP_WITHIN_MS, undefined, { ref: false })]);
  }

  /** One after another, as long as there is one; beside it go the senders of other calls. */
  async #sendDue(): Promise<void> {
    try {
      for (let seen = -1; seen !== this.#asked; ) {
        seen = this.#asked;
        for (let mail = await this.#claim(); mail; mail = this.#stopping ? undefined : await this.#claim()) {
          await this.#send(mail);
        }
      }
    } catch (error) {
      this.logger.error({ err: error }, 'the outbox cannot be read; e-mails wait in it');
    }
  }

  /** Due again by itself in a while: whoever dies between sending and saying so sends it twice, rather than never. */
  async #claim(): Promise<DueMail | undefined> {
    const [rows] = await this.dataSource.query<[DueMail[], number]>(
      `UPDATE outgoing_mails
       SET attempts = attempts + 1, next_attempt_at = now() + least(power(2, least(attempts, 6)), 60) * interval '1 minute'
       WHERE id = (SELECT id FROM outgoing_mails
                   WHERE message IS NOT NULL AND next_attempt_at <= now() AND send_before > now()
                   ORDER BY kind = ANY($1), next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, kind, message, attempts`,
      [TO_THE_OPERATOR],
    );
    return rows[0];
  }

  async #send({ id, kind, message, attempts }: DueMail): Promise<void> {
    try {
      const sent = await this.transport.send(JSON.parse(this.secretBox.open(message, id)) as Mail);
      this.logger.info({ mail: id, kind, ...sent }, 'file' in sent ? 'an e-mail is in a file' : 'an e-mail is sent');
    } catch (error) {
      if (!(error instanceof RefusedMail)) {
        this.logger.warn({ err: error, mail: id, kind, attempts }, 'an e-mail could not be sent; it is tried again');
        return;
      }
      this.logger.warn({ err: error, mail: id, kind }, 'an e-mail was refused and is given up');
    }
    await this.dataSource.query(`UPDATE outgoing_mails SET message = NULL, done_at = now() WHERE id = $1`, [id]);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.removeOld();
  }

  @Cron('23 * * * *')
  async removeOld(): Promise<void> {
    await this.transport.removeOld?.();
    await this.dataSource.query(`DELETE FROM outgoing_mails WHERE done_at < now() - interval '24 hours'`);
    const [unsent] = await this.dataSource.query<[{ id: string; kind: MailKind }[], number]>(
      `DELETE FROM outgoing_mails WHERE message IS NOT NULL AND send_before < now() RETURNING id, kind`,
    );
    for (const { id, kind } of unsent) {
      this.logger.error({ mail: id, kind }, 'an e-mail could not be sent in time and is given up');
    }
  }
}

/** The same text for addresses that lead to one mailbox: Gmail's with dots and without. */
function mailbox(address: string): string {
  const [name = '', host = ''] = address.toLowerCase().split('@');
  return /^g(oogle)?mail\.com$/.test(host) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${host}`;
}
