import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { First1700000000000 } from './migrations/1700000000000-first.js';
import { SignUp1710000000000 } from './migrations/1710000000000-sign-up.js';
import { SignUpOfALink1720000000000 } from './migrations/1720000000000-sign-up-of-a-link.js';
import { ApiKeys1731000000000 } from './migrations/1731000000000-api-keys.js';
import { AuditLog1731100000000 } from './migrations/1731100000000-audit-log.js';
import { SessionAddresses1731200000000 } from './migrations/1731200000000-session-addresses.js';
import { SkriptFieldsAndVersions1732000000000 } from './migrations/1732000000000-skript-fields-and-versions.js';
import { IdempotencyKeys1733000000000 } from './migrations/1733000000000-idempotency-keys.js';
import { RunCommandsAndRetries1733000000001 } from './migrations/1733000000001-run-commands-and-retries.js';
import { Quotas1734000000000 } from './migrations/1734000000000-quotas.js';
import { WorkerRestarts1734000000001 } from './migrations/1734000000001-worker-restarts.js';
import { MongoDrops1735000000000 } from './migrations/1735000000000-mongo-drops.js';
import { Schedules1736000000000 } from './migrations/1736000000000-schedules.js';
import { InputsInOneStatement1737000000000 } from './migrations/1737000000000-inputs-in-one-statement.js';
import { WorkerNamesOfRuns1739000000000 } from './migrations/1739000000000-worker-names-of-runs.js';
import { SandboxLayers1741000000000 } from './migrations/1741000000000-sandbox-layers.js';
import { WaitingRuns1741000000001 } from './migrations/1741000000001-waiting-runs.js';
import { ScheduleProblems1741000000002 } from './migrations/1741000000002-schedule-problems.js';
import { LocksOfLibraries1742000000000 } from './migrations/1742000000000-locks-of-libraries.js';
import { PartitionsService } from './partitions.service.js';
import { PooledClient } from './pooled-client.js';

@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({
        type: 'postgres' as const,
        url: config.postgresUrl,
        autoLoadEntities: true,
        migrations: [
          First1700000000000,
          SignUp1710000000000,
          SignUpOfALink1720000000000,
          ApiKeys1731000000000,
          AuditLog1731100000000,
          SessionAddresses1731200000000,
          SkriptFieldsAndVersions1732000000000,
          Quotas1734000000000,
          WorkerRestarts1734000000001,
          IdempotencyKeys1733000000000,
          MongoDrops1735000000000,
          RunCommandsAndRetries1733000000001,
          Schedules1736000000000,
          InputsInOneStatement1737000000000,
          WorkerNamesOfRuns1739000000000,
          SandboxLayers1741000000000,
          WaitingRuns1741000000001,
          ScheduleProblems1741000000002,
          LocksOfLibraries1742000000000,
        ],
        migrationsRun: true,
        applicationName: 'trawl-backend',
        poolSize: 20,
        // A server that takes a connection and says nothing would be waited for without end; also bounds the wait for one of the pool.
        connectTimeoutMS: 30_000,
        // Every answer carries UTC; a server's own zone must not show.
        extra: { options: '-c timezone=UTC -c statement_timeout=30000', Client: PooledClient },
      }),
    }),
  ],
  providers: [PartitionsService],
})
export class DatabaseModule {}
