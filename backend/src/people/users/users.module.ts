import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PostgresModule } from '../../data/postgres/postgres.module.js';
import { StorageModule } from '../../data/storage/storage.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { AuthModule } from '../../platform/auth/auth.module.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { WorkersModule } from '../../runs/workers/workers.module.js';
import { ExportsModule } from '../../transfers/exports/exports.module.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { AccountExpiry } from './account-expiry.service.js';
import { FirstAccountsService } from './first-accounts.service.js';
import { PasswordLinksService } from './password-links.service.js';
import { RegistrationService } from './registration.service.js';
import { User } from './user.entity.js';
import { UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [
    AuditModule,
    AuthModule,
    ExportsModule,
    MailModule,
    PostgresModule,
    StorageModule,
    WorkersModule,
    TypeOrmModule.forFeature([User]),
  ],
  controllers: [UsersController],
  providers: [
    AccountDeletionService,
    AccountExpiry,
    FirstAccountsService,
    PasswordLinksService,
    RegistrationService,
    UsersService,
  ],
  exports: [
    AccountDeletionService,
    AccountExpiry,
    PasswordLinksService,
    RegistrationService,
    TypeOrmModule,
    UsersService,
  ],
})
export class UsersModule {}
