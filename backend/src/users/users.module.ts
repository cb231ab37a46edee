import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ExportsModule } from '../exports/exports.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PostgresModule } from '../postgres/postgres.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { WorkersModule } from '../workers/workers.module.js';
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
