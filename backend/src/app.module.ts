import { type DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { CommonModule } from './common/common.module.js';
import type { Config } from './common/config.js';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EchoesModule } from './echoes/echoes.module.js';
import { ExecutionsModule } from './executions/executions.module.js';
import { GatewaysModule } from './gateways/gateways.module.js';
import { HealthModule } from './health/health.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { QuotasModule } from './quotas/quotas.module.js';
import { SchedulerModule } from './scheduler/scheduler.module.js';
import { SkriptsModule } from './skripts/skripts.module.js';
import { StorageModule } from './storage/storage.module.js';
import { UserAdministrationModule } from './users/user-administration.module.js';
import { UsersModule } from './users/users.module.js';
import { WorkersModule } from './workers/workers.module.js';
import { WwwModule } from './www/www.module.js';

@Module({})
export class AppModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CommonModule.with(config, logger),
        DatabaseModule,
        QuotasModule,
        ScheduleModule.forRoot(),
        AuthModule,
        AuditModule,
        UsersModule,
        UserAdministrationModule,
        WorkersModule,
        SkriptsModule,
        ExecutionsModule,
        DashboardModule,
        SchedulerModule,
        EchoesModule,
        StorageModule,
        GatewaysModule,
        WwwModule,
        IdempotencyModule,
        HealthModule,
      ],
    };
  }
}
