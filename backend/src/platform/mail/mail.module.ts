import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../common/config.js';
import { FileTransport } from './file-transport.js';
import { MAIL_TRANSPORT } from './mail-transport.js';
import { OutboxService } from './outbox.service.js';
import { SmtpTransport } from './smtp-transport.js';

@Module({
  providers: [
    OutboxService,
    {
      provide: MAIL_TRANSPORT,
      inject: [CONFIG],
      useFactory: ({ smtpUrl, siteEmail, dataDir }: Config) =>
        smtpUrl === undefined
          ? new FileTransport(join(dataDir, 'mail'), siteEmail)
          : new SmtpTransport(smtpUrl, siteEmail),
    },
  ],
  exports: [OutboxService],
})
export class MailModule {}
