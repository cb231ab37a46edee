import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { EchoesModule } from '../echoes/echoes.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { SkriptsModule } from '../skripts/skripts.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { LiveGateway } from './live.gateway.js';
import { LiveViews } from './live-views.js';
import { WorkerGateway } from './worker.gateway.js';
import { WorkerBundlesController } from './worker-bundles.controller.js';

/** The sockets: to workers and to the panel. */
@Module({
  imports: [AuthModule, EchoesModule, ExecutionsModule, SkriptsModule, WorkersModule],
  controllers: [WorkerBundlesController],
  providers: [LiveGateway, LiveViews, WorkerGateway],
})
export class GatewaysModule {}
