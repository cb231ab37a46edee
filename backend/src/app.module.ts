import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { ThrottlerModule } from '@nestjs/throttler';
import type { Logger } from 'pino';
import { AccountModule } from './account/account.module.js';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { CallSlotsInterceptor } from './auth/call-slots.interceptor.js';
import { CommonModule } from './common/common.module.js';
import type { Config } from './common/config.js';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EchoesModule } from './echoes/echoes.module.js';
import { ExecutionsModule } from './executions/executions.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { GatewaysModule } from './gateways/gateways.module.js';
import { HealthModule } from './health/health.module.js';
import { BodyInterceptor } from './http/body/body.interceptor.js';
import { ErrorFilter } from './http/error.filter.js';
import { QueryInterceptor } from './http/query.interceptor.js';
import { strictValidation } from './http/strict-validation.pipe.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { MaintenanceModule } from './maintenance/maintenance.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { NamedIdsInterceptor } from './names/named-ids.interceptor.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { PostgresModule } from './postgres/postgres.module.js';
import { QuotasModule } from './quotas/quotas.module.js';
import { RedisModule } from './redis/redis.module.js';
import { RedisService } from './redis/redis.service.js';
import { SharedThrottlerStorage } from './redis/throttler-storage.js';
import { SchedulerModule } from './scheduler/scheduler.module.js';
import { SkriptsModule } from './skripts/skripts.module.js';
import { StorageModule } from './storage/storage.module.js';
import { UsersModule } from './users/users.module.js';
import { WorkersModule } from './workers/workers.module.js';
import { WwwModule } from './www/www.module.js';

@Module({
  providers: [
    // Interceptors run in this order. A call waits for its slot before its body is read. A repeated call must not be audited again, so idempotency comes before the audit
    // log. It must get the first answer even if a skript that it names by title has been renamed since, so idempotency
    // comes before the names too.
    { provide: APP_INTERCEPTOR, useClass: CallSlotsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: QueryInterceptor },
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: NamedIdsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
    { provide: APP_PIPE, useFactory: strictValidation },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class AppModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CommonModule.with(config, logger),
        DatabaseModule,
        QuotasModule,
        ScheduleModule.forRoot(),
        RedisModule,
        ThrottlerModule.forRootAsync({
          inject: [RedisService],
          useFactory: (redis: RedisService) => ({
            throttlers: [{ ttl: 60_000, limit: 20 }],
            storage: new SharedThrottlerStorage(redis),
          }),
        }),
        // Must come before all modules that import StorageModule, whose route of documents would match `export`.
        ExportsModule,
        AccountModule,
        AuthModule,
        AuditModule,
        UsersModule,
        WorkersModule,
        SkriptsModule,
        ExecutionsModule,
        DashboardModule,
        SchedulerModule,
        EchoesModule,
        StorageModule,
        NotificationsModule,
        MaintenanceModule,
        PostgresModule,
        GatewaysModule,
        WwwModule,
        IdempotencyModule,
        JobsModule,
        ImportsModule,
        HealthModule,
        MetricsModule,
      ],
    };
  }
}
