import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailModule } from '../mail/mail.module.js';
import { OutgoingModule } from '../outgoing/outgoing.module.js';
import { EmailSettingsController } from './emails/email-settings.controller.js';
import { NotificationMailer } from './emails/notification-mailer.service.js';
import { DeliveriesRepository } from './webhooks/deliveries.repository.js';
import { DeliveriesService } from './webhooks/deliveries.service.js';
import { DeliverySenderService } from './webhooks/delivery-sender.service.js';
import { DeliverySigner } from './webhooks/delivery-signer.service.js';
import { Webhook } from './webhooks/webhook.entity.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** Tells accounts of events, by webhook and e-mail. */
@Module({
  imports: [MailModule, OutgoingModule, TypeOrmModule.forFeature([Webhook])],
  controllers: [WebhooksController, EmailSettingsController],
  providers: [
    DeliveriesRepository,
    DeliveriesService,
    DeliverySenderService,
    DeliverySigner,
    NotificationMailer,
    WebhooksService,
  ],
})
export class NotificationsModule {}
