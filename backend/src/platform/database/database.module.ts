import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BACKEND_ID, CONFIG, type Config, ConfigError } from '../common/config.js';
import { SecretBox } from '../common/secret-box.service.js';
import { Backends } from './backends.service.js';
import { Cleanups } from './cleanups.service.js';
import { DueWork } from './due-work.service.js';
import { type DatabaseOptions, openDatabase } from './first-start.js';
import { InitialSchema1795431000000 } from './migrations/1795431000000-initial-schema.js';
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
import { PackagesOfResolutions1795459000000 } from './migrations/1795459000000-packages-of-resolutions.js';
import { Issues1795461000000 } from './migrations/1795461000000-issues.js';
import { WebhooksOfSkripts1795463000000 } from './migrations/1795463000000-webhooks-of-skripts.js';
import { LastBackup1795463100000 } from './migrations/1795463100000-last-backup.js';
import { IssueOfRun1795465400000 } from './migrations/1795465400000-issue-of-run.js';
import { Notices1795465500000 } from './migrations/1795465500000-notices.js';
import { RunProfiles1795466000000 } from './migrations/1795466000000-run-profiles.js';
import { TagsAndPreferences1795467000000 } from './migrations/1795467000000-tags-and-preferences.js';
import { RunUsage1795467100000 } from './migrations/1795467100000-run-usage.js';
import { RowContracts1795468000000 } from './migrations/1795468000000-row-contracts.js';
import { RowAlarms1795468100000 } from './migrations/1795468100000-row-alarms.js';
import { RunMerges1795469000000 } from './migrations/1795469000000-run-merges.js';
import { RunEvidence1795470000000 } from './migrations/1795470000000-run-evidence.js';
import { Recordings1795471000000 } from './migrations/1795471000000-recordings.js';
import { VerdictsInLists1795473000000 } from './migrations/1795473000000-verdicts-in-lists.js';
import { NoNoticesOfRuns1795473100000 } from './migrations/1795473100000-no-notices-of-runs.js';
import { OtherRows1795473200000 } from './migrations/1795473200000-other-rows.js';
import { ExportsOfChanges1795473900000 } from './migrations/1795473900000-exports-of-changes.js';
import { ExportsOfAcceptedRuns1795477000000 } from './migrations/1795477000000-exports-of-accepted-runs.js';
import { ContractsOfLiveRuns1795486000000 } from './migrations/1795486000000-contracts-of-live-runs.js';
import { Queues1795489000000 } from './migrations/1795489000000-queues.js';
import { SiteSessions1795490000000 } from './migrations/1795490000000-site-sessions.js';
import { FailedMerges1795491000000 } from './migrations/1795491000000-failed-merges.js';
import { AlarmsLookedFor1795492000000 } from './migrations/1795492000000-alarms-looked-for.js';
import { ExampleRows1795493000000 } from './migrations/1795493000000-example-rows.js';
import { FiguresOfItems1795495000000 } from './migrations/1795495000000-figures-of-items.js';
import { InsertedRows1795497000000 } from './migrations/1795497000000-inserted-rows.js';
import { RequestsLeftByRuns1795503100000 } from './migrations/1795503100000-requests-left-by-runs.js';
import { PoliteDomains1795504000000 } from './migrations/1795504000000-polite-domains.js';
import { SetPoliteDomains1795506000000 } from './migrations/1795506000000-set-polite-domains.js';
import { RobotsOfPoliteDomains1795506100000 } from './migrations/1795506100000-robots-of-polite-domains.js';
import { Proxies1795507000000 } from './migrations/1795507000000-proxies.js';
import { QuotaOfProxies1795507100000 } from './migrations/1795507100000-quota-of-proxies.js';
import { IdsOfQueueHosts1795508000000 } from './migrations/1795508000000-ids-of-queue-hosts.js';
import { WorkerSamples1795509000000 } from './migrations/1795509000000-worker-samples.js';
import { RepeatedProxyReports1795509910000 } from './migrations/1795509910000-repeated-proxy-reports.js';
import { PlacesOfPoliteDomains1795509920000 } from './migrations/1795509920000-places-of-polite-domains.js';
import { VersionNumbers1795510000000 } from './migrations/1795510000000-version-numbers.js';
import { ProxiesOfRuns1795510100000 } from './migrations/1795510100000-proxies-of-runs.js';
import { HostsOfAddedRequests1795510110000 } from './migrations/1795510110000-hosts-of-added-requests.js';
import { AddsBesideEachOther1795510120000 } from './migrations/1795510120000-adds-beside-each-other.js';
import { TakesOfAllHosts1795510130000 } from './migrations/1795510130000-takes-of-all-hosts.js';
import { CountsOfManyHosts1795510140000 } from './migrations/1795510140000-counts-of-many-hosts.js';
import { PartitionsService } from './partitions.service.js';
import { WatchedClient } from './pooled-client.js';
import { PostgresNotices } from './postgres-notices.service.js';

/** All migrations, in the order in which they run. */
export const MIGRATIONS = [
  InitialSchema1795431000000,
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
  PackagesOfResolutions1795459000000,
  Issues1795461000000,
  WebhooksOfSkripts1795463000000,
  LastBackup1795463100000,
  IssueOfRun1795465400000,
  Notices1795465500000,
  RunProfiles1795466000000,
  TagsAndPreferences1795467000000,
  RunUsage1795467100000,
  RowContracts1795468000000,
  RowAlarms1795468100000,
  RunMerges1795469000000,
  RunEvidence1795470000000,
  Recordings1795471000000,
  VerdictsInLists1795473000000,
  NoNoticesOfRuns1795473100000,
  OtherRows1795473200000,
  ExportsOfChanges1795473900000,
  ExportsOfAcceptedRuns1795477000000,
  ContractsOfLiveRuns1795486000000,
  Queues1795489000000,
  SiteSessions1795490000000,
  FailedMerges1795491000000,
  AlarmsLookedFor1795492000000,
  ExampleRows1795493000000,
  FiguresOfItems1795495000000,
  InsertedRows1795497000000,
  RequestsLeftByRuns1795503100000,
  PoliteDomains1795504000000,
  SetPoliteDomains1795506000000,
  RobotsOfPoliteDomains1795506100000,
  Proxies1795507000000,
  QuotaOfProxies1795507100000,
  IdsOfQueueHosts1795508000000,
  WorkerSamples1795509000000,
  RepeatedProxyReports1795509910000,
  PlacesOfPoliteDomains1795509920000,
  VersionNumbers1795510000000,
  ProxiesOfRuns1795510100000,
  HostsOfAddedRequests1795510110000,
  AddsBesideEachOther1795510120000,
  TakesOfAllHosts1795510130000,
  CountsOfManyHosts1795510140000,
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
