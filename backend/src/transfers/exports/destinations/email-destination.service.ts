import { Inject, Injectable } from '@nestjs/common';
import { byteSize } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { ApiError } from '../../../platform/common/errors.js';
import { accountAddress } from '../../../platform/mail/account-address.js';
import { compose } from '../../../platform/mail/compose.js';
import { OutboxService } from '../../../platform/mail/outbox.service.js';
import type { DeliveredFile, ExportDestination } from './destination.js';

const USEFUL_HOURS = 24;
/** A mailbox gets at most this many of these e-mails per day. */
const MAX_MAILS_PER_DAY = 50;

/** Sends the owner of the export a link to the file. Others cannot get e-mails, because they did not ask for them. */
@Injectable()
export class EmailDestination implements ExportDestination {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  check(): string {
    return 'your address';
  }

  /** Sends nothing yet: `record` adds the e-mail when the export is done. */
  async send({ ownerId }: DeliveredFile): Promise<void> {
    if ((await this.#addressOf(this.dataSource.manager, ownerId)) !== undefined) return;
    throw new ApiError(
      'delivery_failed',
      'Trawl could not e-mail you the link, because it has no e-mail address for your account. Export without e-mail, or ask an administrator to set `CONTACT_EMAIL`.',
    );
  }

  async record(transaction: EntityManager, { ownerId, name, rows, bytes, link }: DeliveredFile): Promise<void> {
    const to = await this.#addressOf(transaction, ownerId);
    if (to === undefined || (await this.outbox.countRecent(transaction, to, 'notification')).day >= MAX_MAILS_PER_DAY)
      return;
    const mail = compose(
      { to, subject: 'Your export is ready' },
      [
        'Trawl finished an export:',
        {
          facts: [
            ['File', name],
            ['Rows', String(rows)],
            ['Size', byteSize(bytes)],
          ],
        },
        { button: 'Download the file', href: link },
        `Anyone with this link can download the file. Trawl deletes the file after ${this.config.jobDays} days.`,
      ],
      `Sent by ${this.config.publicUrl} because you asked for this export.`,
    );
    await this.outbox.add(transaction, 'notification', mail, USEFUL_HOURS);
  }

  async #addressOf(manager: EntityManager, ownerId: string): Promise<string | undefined> {
    const [owner] = await manager.query<{ username: string }[]>('SELECT username FROM users WHERE id = $1', [ownerId]);
    return owner && accountAddress(owner.username, this.config.contactEmail);
  }
}
