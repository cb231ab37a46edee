import { type DynamicModule, Module, type NestInterceptor } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { ThrottlerModule } from '@nestjs/throttler';
import type { Logger } from 'pino';
import { PostgresModule } from './data/postgres/postgres.module.js';
import { StorageModule } from './data/storage/storage.module.js';
import { HealthModule } from './operation/health/health.module.js';
import { MetricsModule } from './operation/metrics/metrics.module.js';
import { AccountModule } from './people/account/account.module.js';
import { UsersModule } from './people/users/users.module.js';
import { WwwModule } from './people/www/www.module.js';
import { AuditInterceptor } from './platform/audit/audit.interceptor.js';
import { AuditModule } from './platform/audit/audit.module.js';
import { AuthModule } from './platform/auth/auth.module.js';
import { CallSlotsInterceptor } from './platform/auth/call-slots.interceptor.js';
import { CommonModule } from './platform/common/common.module.js';
import type { Config } from './platform/common/config.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { BodyInterceptor } from './platform/http/body/body.interceptor.js';
import { CombinedInterceptor } from './platform/http/combined.interceptor.js';
import { ErrorFilter } from './platform/http/error.filter.js';
import { NamedIdsInterceptor } from './platform/http/names/named-ids.interceptor.js';
import { QueryInterceptor } from './platform/http/query.interceptor.js';
import { strictValidation } from './platform/http/strict-validation.pipe.js';
import { IdempotencyInterceptor } from './platform/idempotency/idempotency.interceptor.js';
import { IdempotencyModule } from './platform/idempotency/idempotency.module.js';
import { JobsModule } from './platform/jobs/jobs.module.js';
import { MaintenanceModule } from './platform/maintenance/maintenance.module.js';
import { NotificationsModule } from './platform/notifications/notifications.module.js';
import { QuotasModule } from './platform/quotas/quotas.module.js';
import { RedisModule } from './platform/redis/redis.module.js';
import { RedisService } from './platform/redis/redis.service.js';
import { SharedThrottlerStorage } from './platform/redis/throttler-storage.js';
import { DashboardModule } from './runs/dashboard/dashboard.module.js';
import { EchoesModule } from './runs/echoes/echoes.module.js';
import { ExecutionsModule } from './runs/executions/executions.module.js';
import { GatewaysModule } from './runs/gateways/gateways.module.js';
import { IssuesModule } from './runs/issues/issues.module.js';
import { SchedulerModule } from './runs/scheduler/scheduler.module.js';
import { SkriptsModule } from './runs/skripts/skripts.module.js';
import { WorkersModule } from './runs/workers/workers.module.js';
import { ExportsModule } from './transfers/exports/exports.module.js';
import { ImportsModule } from './transfers/imports/imports.module.js';

/**
 * They run in this order. A call waits for its slot before its body is read. A repeated call must not be audited again, so
 * idempotency comes before the audit log. It must get the first answer even if a skript that it names by title has been
 * renamed since, so idempotency comes before the names too.
 */
const INTERCEPTORS = [
  CallSlotsInterceptor,
  QueryInterceptor,
  BodyInterceptor,
  IdempotencyInterceptor,
  NamedIdsInterceptor,
  AuditInterceptor,
];

@Module({
  providers: [
    ...INTERCEPTORS,
    {
      provide: APP_INTERCEPTOR,
      inject: INTERCEPTORS,
      useFactory: (...interceptors: NestInterceptor[]) => new CombinedInterceptor(interceptors),
    },
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
        IssuesModule,
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
