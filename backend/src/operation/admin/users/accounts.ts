import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { TypeOrmModule } from '@nestjs/typeorm';
import { pino } from 'pino';
import { StorageModule } from '../../../data/storage/storage.module.js';
import { PasswordLinksService } from '../../../people/users/password-links.service.js';
import { RegistrationService } from '../../../people/users/registration.service.js';
import { User } from '../../../people/users/user.entity.js';
import { UsersService } from '../../../people/users/users.service.js';
import { Session } from '../../../platform/auth/session.entity.js';
import { SessionTokens } from '../../../platform/auth/session-tokens.service.js';
import { TokenChanges } from '../../../platform/auth/tokens/token-changes.service.js';
import { CommonModule } from '../../../platform/common/common.module.js';
import type { Config } from '../../../platform/common/config.js';
import { NestLogger } from '../../../platform/common/logger.js';
import { DatabaseModule } from '../../../platform/database/database.module.js';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { QuotasModule } from '../../../platform/quotas/quotas.module.js';
import { WorkersModule } from '../../../runs/workers/workers.module.js';
import { AdminError } from '../admin-error.js';
import { checkSchema } from '../schema.js';
import { openPlatform } from '../settings.js';

/** The part of the application that changes accounts. It has no schedules, so it does no work of a backend. */
@Module({})
class AccountsModule {
  static with(config: Config): DynamicModule {
    return {
      module: AccountsModule,
      imports: [
        CommonModule.with(config, pino({ level: 'silent' })),
        DatabaseModule,
        QuotasModule,
        // Sessions end here and are never opened, so no key is needed.
        JwtModule.register({}),
        MailModule,
        StorageModule,
        WorkersModule,
        TypeOrmModule.forFeature([User, Session]),
      ],
      providers: [PasswordLinksService, RegistrationService, SessionTokens, TokenChanges, UsersService],
    };
  }
}

/** Does some work with the services that change accounts. The platform must have been started once. */
export async function withAccounts(work: (app: INestApplicationContext) => Promise<void>): Promise<void> {
  const platform = await openPlatform();
  try {
    await checkSchema(platform.config);
    if (!platform.hasSecret) {
      throw new AdminError(
        'TRAWL_SECRET is not set, and the data folder has no file `secret`. Set it as for the backend.',
      );
    }
    const app = await NestFactory.createApplicationContext(AccountsModule.with(platform.config), {
      logger: new NestLogger(pino({ level: 'silent' })),
      abortOnError: false,
    });
    try {
      await work(app);
    } finally {
      await app.close();
    }
  } finally {
    await platform.close();
  }
}
