import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailModule } from '../../platform/mail/mail.module.js';
import { UsersModule } from '../users/users.module.js';
import { ConstantTimeResponder } from './constant-time-responder.service.js';
import { ContactMessage } from './contact/contact-message.entity.js';
import { ContactMessagesController } from './contact/contact-messages.controller.js';
import { ContactMessagesService } from './contact/contact-messages.service.js';
import { WwwController } from './www.controller.js';

@Module({
  imports: [MailModule, UsersModule, TypeOrmModule.forFeature([ContactMessage])],
  controllers: [WwwController, ContactMessagesController],
  providers: [ContactMessagesService, ConstantTimeResponder],
})
export class WwwModule {}
