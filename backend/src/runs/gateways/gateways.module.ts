import { Module } from '@nestjs/common';
import { AuthModule } from '../../platform/auth/auth.module.js';
import { EchoesModule } from '../echoes/echoes.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { SkriptsModule } from '../skripts/skripts.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { EchoStreamsController } from './echo-streams.controller.js';
import { EchoStreams } from './echo-streams.service.js';
import { LiveGateway } from './live.gateway.js';
import { LiveRelay } from './live-relay.service.js';
import { LiveViews } from './live-views.service.js';
import { WorkerGateway } from './worker.gateway.js';
import { WorkerBundlesController } from './worker-bundles.controller.js';
import { WorkerRecordsController } from './worker-records.controller.js';

/** Sockets to workers and to the panel, and live logs over HTTP. */
@Module({
  imports: [AuthModule, EchoesModule, ExecutionsModule, SkriptsModule, WorkersModule],
  controllers: [EchoStreamsController, WorkerBundlesController, WorkerRecordsController],
  providers: [EchoStreams, LiveGateway, LiveRelay, LiveViews, WorkerGateway],
})
export class GatewaysModule {}
