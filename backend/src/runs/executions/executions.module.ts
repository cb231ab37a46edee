import { Module } from '@nestjs/common';
import { PostgresModule } from '../../data/postgres/postgres.module.js';
import { StorageModule } from '../../data/storage/storage.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { AuthModule } from '../../platform/auth/auth.module.js';
import { JobsModule } from '../../platform/jobs/jobs.module.js';
import { MaintenanceModule } from '../../platform/maintenance/maintenance.module.js';
import { ObjectsModule } from '../../platform/objects/objects.module.js';
import { PoliteModule } from '../polite/polite.module.js';
import { ProxiesModule } from '../proxies/proxies.module.js';
import { QueuesModule } from '../queues/queues.module.js';
import { SkriptsModule } from '../skripts/skripts.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { AnswersController } from './answers/answers.controller.js';
import { AnswersRepository } from './answers/answers.repository.js';
import { AnswersService } from './answers/answers.service.js';
import { RunComparisonController } from './comparison/run-comparison.controller.js';
import { RunComparisonService } from './comparison/run-comparison.service.js';
import { CommandSenderService } from './dispatch/command-sender.service.js';
import { DispatchOutageLog } from './dispatch/dispatch-outage-log.service.js';
import { LiveRunsRepository } from './dispatch/live-runs.repository.js';
import { OffersService } from './dispatch/offers.service.js';
import { ReconciliationService } from './dispatch/reconciliation.service.js';
import { RunControlsController } from './dispatch/run-controls.controller.js';
import { RunControlsService } from './dispatch/run-controls.service.js';
import { RunNotices } from './dispatch/run-notices.service.js';
import { RunStatesService } from './dispatch/run-states.service.js';
import { RunTokens } from './dispatch/run-tokens.service.js';
import { EndingsRepository } from './end/endings.repository.js';
import { EndingsService } from './end/endings.service.js';
import { EvidenceController } from './evidence/evidence.controller.js';
import { EvidenceRepository } from './evidence/evidence.repository.js';
import { EvidenceService } from './evidence/evidence.service.js';
import { EvidenceCollector } from './evidence/evidence-collector.service.js';
import { ItemsController } from './items/items.controller.js';
import { ItemsService } from './items/items.service.js';
import { ItemsCleanup } from './items/items-cleanup.service.js';
import { MergesRepository } from './items/merges.repository.js';
import { MergesService } from './items/merges.service.js';
import { LeasesRepository } from './leases/leases.repository.js';
import { LeasesService } from './leases/leases.service.js';
import { RunProxiesController } from './proxies/run-proxies.controller.js';
import { RunProxiesRepository } from './proxies/run-proxies.repository.js';
import { InsertedRowsRepository } from './recordings/inserted-rows.repository.js';
import { InsertedRowsService } from './recordings/inserted-rows.service.js';
import { RecordingsController } from './recordings/recordings.controller.js';
import { RecordingsRepository } from './recordings/recordings.repository.js';
import { RecordingsService } from './recordings/recordings.service.js';
import { ReplaysService } from './recordings/replays.service.js';
import { ExecutionEvents } from './records/execution-events.service.js';
import { ExecutionsController } from './records/executions.controller.js';
import { ExecutionsRepository } from './records/executions.repository.js';
import { ExecutionsService } from './records/executions.service.js';
import { WaitsService } from './records/waits.service.js';
import { WrittenDataRepository } from './records/written-data.repository.js';
import { RunRowsController } from './rows/run-rows.controller.js';
import { RunRowsService } from './rows/run-rows.service.js';
import { SelectorsController } from './selectors/selectors.controller.js';
import { SelectorsRepository } from './selectors/selectors.repository.js';
import { SelectorsService } from './selectors/selectors.service.js';
import { SessionCalls } from './site-sessions/session-calls.service.js';
import { SiteSessionsController } from './site-sessions/site-sessions.controller.js';
import { SiteSessionsRepository } from './site-sessions/site-sessions.repository.js';
import { SiteSessionsService } from './site-sessions/site-sessions.service.js';
import { ExecuteController } from './start/execute.controller.js';
import { MultiWorkerController } from './start/multi-worker/multi-worker.controller.js';
import { MultiWorkerService } from './start/multi-worker/multi-worker.service.js';
import { RunInserts } from './start/run-inserts.service.js';
import { StartKeysService } from './start/start-keys.service.js';
import { StartPreparation } from './start/start-preparation.service.js';
import { StartTargets } from './start/start-targets.service.js';
import { StartsService } from './start/starts.service.js';
import { UnbuiltRuns } from './start/unbuilt-runs.service.js';
import { RowCounts } from './storage/row-counts.service.js';
import { RunsStorageService } from './storage/runs-storage.service.js';
import { RowAlarmsRepository } from './verdicts/alarms/row-alarms.repository.js';
import { RowAlarms } from './verdicts/alarms/row-alarms.service.js';
import { VerdictsController } from './verdicts/verdicts.controller.js';
import { VerdictsRepository } from './verdicts/verdicts.repository.js';
import { VerdictsService } from './verdicts/verdicts.service.js';

@Module({
  imports: [
    AuditModule,
    AuthModule,
    JobsModule,
    MaintenanceModule,
    ObjectsModule,
    PoliteModule,
    PostgresModule,
    ProxiesModule,
    QueuesModule,
    SkriptsModule,
    StorageModule,
    WorkersModule,
  ],
  controllers: [
    ExecuteController,
    MultiWorkerController,
    RunControlsController,
    ExecutionsController,
    RunProxiesController,
    RunRowsController,
    RunComparisonController,
    RecordingsController,
    AnswersController,
    VerdictsController,
    ItemsController,
    EvidenceController,
    SelectorsController,
    SiteSessionsController,
  ],
  providers: [
    AnswersRepository,
    AnswersService,
    CommandSenderService,
    RunControlsService,
    DispatchOutageLog,
    EndingsRepository,
    EndingsService,
    EvidenceCollector,
    EvidenceRepository,
    EvidenceService,
    ExecutionEvents,
    ExecutionsRepository,
    ExecutionsService,
    InsertedRowsRepository,
    InsertedRowsService,
    ItemsCleanup,
    ItemsService,
    LeasesRepository,
    LeasesService,
    LiveRunsRepository,
    MergesRepository,
    MergesService,
    MultiWorkerService,
    OffersService,
    ReconciliationService,
    RunComparisonService,
    RecordingsRepository,
    RecordingsService,
    ReplaysService,
    RowAlarms,
    RowAlarmsRepository,
    RunInserts,
    RunNotices,
    RunProxiesRepository,
    RunStatesService,
    RunRowsService,
    RunTokens,
    RowCounts,
    RunsStorageService,
    SelectorsRepository,
    SelectorsService,
    SessionCalls,
    SiteSessionsRepository,
    SiteSessionsService,
    StartKeysService,
    StartPreparation,
    StartTargets,
    StartsService,
    UnbuiltRuns,
    VerdictsRepository,
    VerdictsService,
    WaitsService,
    WrittenDataRepository,
  ],
  exports: [
    EndingsService,
    ExecutionEvents,
    ExecutionsService,
    ItemsService,
    LeasesService,
    LiveRunsRepository,
    OffersService,
    RunComparisonService,
    RecordingsService,
    RunStatesService,
    RunsStorageService,
    StartsService,
    VerdictsRepository,
  ],
})
export class ExecutionsModule {}
