import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailModule } from '../mail/mail.module.js';
import { OutgoingModule } from '../outgoing/outgoing.module.js';
import { EmailSettingsController } from './emails/email-settings.controller.js';
import { NotificationMailer } from './emails/notification-mailer.service.js';
import { NoticesController } from './notices/notices.controller.js';
import { NoticesService } from './notices/notices.service.js';
import { DeliveriesRepository } from './webhooks/deliveries.repository.js';
import { DeliveriesService } from './webhooks/deliveries.service.js';
import { DeliverySenderService } from './webhooks/delivery-sender.service.js';
import { DeliverySigner } from './webhooks/delivery-signer.service.js';
import { Webhook } from './webhooks/webhook.entity.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** Tells accounts of events, by webhook, by e-mail and in the panel. */
@Module({
  imports: [MailModule, OutgoingModule, TypeOrmModule.forFeature([Webhook])],
  controllers: [WebhooksController, EmailSettingsController, NoticesController],
  providers: [
    DeliveriesRepository,
    DeliveriesService,
    DeliverySenderService,
    DeliverySigner,
    NoticesService,
    NotificationMailer,
    WebhooksService,
  ],
  exports: [NoticesService],
})
export class NotificationsModule {}
