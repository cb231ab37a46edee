import { Inject, Injectable } from '@nestjs/common';
import { byteSize } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../common/config.js';
import { accountAddress } from '../../mail/account-address.js';
import { compose } from '../../mail/compose.js';
import { OutboxService } from '../../mail/outbox.service.js';
import type { DeliveredFile, ExportDestination } from './destination.js';

const USEFUL_HOURS = 24;
/** A mailbox gets at most this many of these e-mails per day. */
const MAX_MAILS_PER_DAY = 50;

/** Sends the owner of the export a link to the file. Others cannot get e-mails, because they did not ask for them. */
@Injectable()
export class EmailDestination implements ExportDestination {
  constructor(
    private readonly outbox: OutboxService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  check(): string {
    return 'your address';
  }

  async record(transaction: EntityManager, { ownerId, name, rows, bytes, link }: DeliveredFile): Promise<void> {
    const [owner] = await transaction.query<{ username: string }[]>('SELECT username FROM users WHERE id = $1', [
      ownerId,
    ]);
    const to = owner && accountAddress(owner.username, this.config.contactEmail);
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
}
