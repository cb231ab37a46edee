import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { MailModule } from '../mail/mail.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { UsersModule } from '../users/users.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { AccountsService } from './accounts.service.js';
import { ContactMessage } from './contact-message.entity.js';
import { ContactMessagesController } from './contact-messages.controller.js';
import { ContactMessagesService } from './contact-messages.service.js';
import { PasswordLinksService } from './password-links.service.js';
import { UnhurriedWork } from './unhurried-work.js';
import { WwwController } from './www.controller.js';

@Module({
  imports: [
    AuthModule,
    MailModule,
    StorageModule,
    UsersModule,
    WorkersModule,
    TypeOrmModule.forFeature([ContactMessage]),
  ],
  controllers: [WwwController, ContactMessagesController],
  providers: [AccountsService, ContactMessagesService, PasswordLinksService, UnhurriedWork],
  exports: [AccountsService],
})
export class WwwModule {}
