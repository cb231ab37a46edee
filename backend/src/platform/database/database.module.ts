import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BACKEND_ID, CONFIG, type Config, ConfigError } from '../common/config.js';
import { SecretBox } from '../common/secret-box.service.js';
import { Backends } from './backends.service.js';
import { Cleanups } from './cleanups.service.js';
import { DueWork } from './due-work.service.js';
import { type DatabaseOptions, openDatabase } from './first-start.js';
import { InitialSchema1795262400000 } from './migrations/1795262400000-initial-schema.js';
import { BundlesNeedBrowser1795287600000 } from './migrations/1795287600000-bundles-need-browser.js';
import { TimeLimits1795291200000 } from './migrations/1795291200000-time-limits.js';
import { RunFiles1795294800000 } from './migrations/1795294800000-run-files.js';
import { Answers1795298400000 } from './migrations/1795298400000-answers.js';
import { RunRows1795302000000 } from './migrations/1795302000000-run-rows.js';
import { UserPostgres1795305600000 } from './migrations/1795305600000-user-postgres.js';
import { Jobs1795309200000 } from './migrations/1795309200000-jobs.js';
import { Exporters1795309300000 } from './migrations/1795309300000-exporters.js';
import { Imports1795312800000 } from './migrations/1795312800000-imports.js';
import { Notifications1795316400000 } from './migrations/1795316400000-notifications.js';
import { Maintenance1795316500000 } from './migrations/1795316500000-maintenance.js';
import { FairTurns1795316510000 } from './migrations/1795316510000-fair-turns.js';
import { RestrictedPostgres1795316600000 } from './migrations/1795316600000-restricted-postgres.js';
import { ExportsAfterRuns1795316700000 } from './migrations/1795316700000-exports-after-runs.js';
import { StartedAt1795316900000 } from './migrations/1795316900000-started-at.js';
import { StaleValues1795316910000 } from './migrations/1795316910000-stale-values.js';
import { WorkerUsage1795316950000 } from './migrations/1795316950000-worker-usage.js';
import { IdsOfImportedRows1795317000000 } from './migrations/1795317000000-ids-of-imported-rows.js';
import { InputValue1795317100000 } from './migrations/1795317100000-input-value.js';
import { ExpiringAccounts1795402000000 } from './migrations/1795402000000-expiring-accounts.js';
import { SharedDatabases1795402100000 } from './migrations/1795402100000-shared-databases.js';
import { RunNotices1795403000000 } from './migrations/1795403000000-run-notices.js';
import { PlatformSecret1795403100000 } from './migrations/1795403100000-platform-secret.js';
import { SweepTurns1795403200000 } from './migrations/1795403200000-sweep-turns.js';
import { ConnectedSince1795411000000 } from './migrations/1795411000000-connected-since.js';
import { WorkerGroups1795411100000 } from './migrations/1795411100000-worker-groups.js';
import { EchoQuota1795413000000 } from './migrations/1795413000000-echo-quota.js';
import { WaitingRuns1795413100000 } from './migrations/1795413100000-waiting-runs.js';
import { Refusals1795421000000 } from './migrations/1795421000000-refusals.js';
import { GroupAssignments1795421100000 } from './migrations/1795421100000-group-assignments.js';
import { SecretRotation1795423000000 } from './migrations/1795423000000-secret-rotation.js';
import { DiskWarnings1795424000000 } from './migrations/1795424000000-disk-warnings.js';
import { ChromiumVersion1795424100000 } from './migrations/1795424100000-chromium-version.js';
import { ObjectStore1795431000000 } from './migrations/1795431000000-object-store.js';
import { NamesOfAuditTargets1795440000000 } from './migrations/1795440000000-names-of-audit-targets.js';
import { ExportedIds1795442000000 } from './migrations/1795442000000-exported-ids.js';
import { RunWrites1795443000000 } from './migrations/1795443000000-run-writes.js';
import { WorkerEventLoop1795443100000 } from './migrations/1795443100000-worker-event-loop.js';
import { PlacesInQueues1795444000000 } from './migrations/1795444000000-places-in-queues.js';
import { NodeVersions1795447000000 } from './migrations/1795447000000-node-versions.js';
import { ImportsIntoTables1795450000000 } from './migrations/1795450000000-imports-into-tables.js';
import { RunsWithoutBundle1795453000000 } from './migrations/1795453000000-runs-without-bundle.js';
import { PlatformJobs1795456000000 } from './migrations/1795456000000-platform-jobs.js';
import { ExportsAfterRunsAreJobs1795457000000 } from './migrations/1795457000000-exports-after-runs-are-jobs.js';
import { OneTableOfAssignments1795458000000 } from './migrations/1795458000000-one-table-of-assignments.js';
import { PartitionsService } from './partitions.service.js';
import { WatchedClient } from './pooled-client.js';
import { PostgresNotices } from './postgres-notices.service.js';

/** All migrations, in the order in which they run. */
export const MIGRATIONS = [
  InitialSchema1795262400000,
  BundlesNeedBrowser1795287600000,
  TimeLimits1795291200000,
  RunFiles1795294800000,
  Answers1795298400000,
  RunRows1795302000000,
  UserPostgres1795305600000,
  Jobs1795309200000,
  Exporters1795309300000,
  Imports1795312800000,
  Notifications1795316400000,
  Maintenance1795316500000,
  FairTurns1795316510000,
  RestrictedPostgres1795316600000,
  ExportsAfterRuns1795316700000,
  StartedAt1795316900000,
  StaleValues1795316910000,
  WorkerUsage1795316950000,
  IdsOfImportedRows1795317000000,
  InputValue1795317100000,
  ExpiringAccounts1795402000000,
  SharedDatabases1795402100000,
  RunNotices1795403000000,
  PlatformSecret1795403100000,
  SweepTurns1795403200000,
  ConnectedSince1795411000000,
  WorkerGroups1795411100000,
  EchoQuota1795413000000,
  WaitingRuns1795413100000,
  Refusals1795421000000,
  GroupAssignments1795421100000,
  SecretRotation1795423000000,
  DiskWarnings1795424000000,
  ChromiumVersion1795424100000,
  ObjectStore1795431000000,
  NamesOfAuditTargets1795440000000,
  ExportedIds1795442000000,
  RunWrites1795443000000,
  WorkerEventLoop1795443100000,
  PlacesInQueues1795444000000,
  NodeVersions1795447000000,
  ImportsIntoTables1795450000000,
  RunsWithoutBundle1795453000000,
  PlatformJobs1795456000000,
  ExportsAfterRunsAreJobs1795457000000,
  OneTableOfAssignments1795458000000,
];

/**
 * By default, the pool closes a connection after 10 s without use. Each burst of calls would then open new ones, and with
 * their passwords and PostgreSQL's empty caches, all calls in progress would wait for 30 to 50 ms.
 */
const IDLE_CONNECTION_MS = 5 * 60_000;

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [CONFIG, BACKEND_ID, SecretBox],
      useFactory: (config: Config, backendId: string, secretBox: SecretBox) => ({
        type: 'postgres' as const,
        url: config.postgresUrl,
        autoLoadEntities: true,
        migrations: MIGRATIONS,
        migrationsRun: true,
        applicationName: 'trawl-backend',
        poolSize: 20,
        // Time limit for getting a connection: the pool may have no free one, or the server may accept a connection but
        // never respond.
        connectTimeoutMS: 30_000,
        // Times in results are in UTC, even if the server has another time zone. `trawl.backend` tells triggers which
        // backend made a change.
        extra: {
          options: `-c timezone=UTC -c statement_timeout=30000 -c trawl.backend=${backendId}`,
          Client: WatchedClient,
          idleTimeoutMillis: IDLE_CONNECTION_MS,
          silenceMs: config.postgresSilenceMs,
          isPreferred: config.supervised,
        },
        toRetry: (error: unknown) => !(error instanceof ConfigError),
        config,
        secretBox,
      }),
      dataSourceFactory: options => openDatabase(options as DatabaseOptions),
    }),
  ],
  providers: [Backends, Cleanups, DueWork, PartitionsService, PostgresNotices],
  exports: [Backends, Cleanups, DueWork, PostgresNotices],
})
export class DatabaseModule {}
