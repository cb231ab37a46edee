import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { MaintenanceModule } from '../maintenance/maintenance.module.js';
import { UsersModule } from '../users/users.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { AccountController } from './account.controller.js';
import { AccountService } from './account.service.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { LoginLimits } from './login-limits.service.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';

/** Serves users' own accounts: login, logout, password, sessions and API keys. */
@Module({
  imports: [AuthModule, MaintenanceModule, UsersModule, WorkersModule],
  controllers: [AccountController, ApiKeysController, SessionsController],
  providers: [AccountService, ApiKeysService, LoginLimits, SessionsService],
})
export class AccountModule {}
