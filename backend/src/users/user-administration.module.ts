import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { MailModule } from '../mail/mail.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { WwwModule } from '../www/www.module.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { UsersController } from './users.controller.js';
import { UsersModule } from './users.module.js';
import { UsersService } from './users.service.js';

/** Apart from `UsersModule`, which the modules that it needs need themselves. */
@Module({
  imports: [AuthModule, MailModule, StorageModule, UsersModule, WwwModule],
  controllers: [UsersController],
  providers: [UsersService, AccountDeletionService],
})
export class UserAdministrationModule {}
