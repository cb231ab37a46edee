import { Module } from '@nestjs/common';
import { PostgresModule } from '../../data/postgres/postgres.module.js';
import { StorageModule } from '../../data/storage/storage.module.js';
import { AuthModule } from '../../platform/auth/auth.module.js';
import { MaintenanceModule } from '../../platform/maintenance/maintenance.module.js';
import { NotificationsModule } from '../../platform/notifications/notifications.module.js';
import { WorkersModule } from '../../runs/workers/workers.module.js';
import { ExportsModule } from '../../transfers/exports/exports.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountController } from './account.controller.js';
import { AccountService } from './account.service.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { AccountArchive } from './data/account-archive.service.js';
import { AccountDataController } from './data/account-data.controller.js';
import { ArchiveEntries } from './data/archive-entries.service.js';
import { LoginLimits } from './login-limits.service.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';

/** Serves users' own accounts: login, logout, password, sessions and API keys. */
@Module({
  imports: [
    AuthModule,
    ExportsModule,
    MaintenanceModule,
    NotificationsModule,
    PostgresModule,
    StorageModule,
    UsersModule,
    WorkersModule,
  ],
  controllers: [AccountController, AccountDataController, ApiKeysController, SessionsController],
  providers: [AccountArchive, AccountService, ApiKeysService, ArchiveEntries, LoginLimits, SessionsService],
})
export class AccountModule {}
