import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { SkriptsModule } from '../skripts/skripts.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { ControlsService } from './controls.service.js';
import { DispatcherService } from './dispatcher.service.js';
import { EndingsModule } from './endings.module.js';
import { ExecuteController } from './execute.controller.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';
import { LeasesService } from './leases.service.js';
import { MultiWorkerController } from './multi-worker.controller.js';
import { MultiWorkerService } from './multi-worker.service.js';
import { RunStatesService } from './run-states.service.js';
import { RunTokens } from './run-tokens.js';
import { RunsStorageService } from './runs-storage.service.js';
import { StartKeysService } from './start-keys.service.js';
import { StartTargets } from './start-targets.service.js';
import { StartsService } from './starts.service.js';
import { WaitsService } from './waits.service.js';

@Module({
  imports: [AuthModule, EndingsModule, SkriptsModule, StorageModule, WorkersModule],
  controllers: [ExecuteController, MultiWorkerController, ExecutionsController],
  providers: [
    ControlsService,
    DispatcherService,
    ExecutionsService,
    LeasesService,
    MultiWorkerService,
    RunStatesService,
    RunTokens,
    RunsStorageService,
    StartKeysService,
    StartTargets,
    StartsService,
    WaitsService,
  ],
  exports: [
    DispatcherService,
    EndingsModule,
    ExecutionsService,
    LeasesService,
    RunStatesService,
    RunsStorageService,
    StartsService,
  ],
})
export class ExecutionsModule {}
