import { Module } from '@nestjs/common';
import { WorkersModule } from '../../runs/workers/workers.module.js';
import { MetricsServer } from './metrics-server.service.js';
import { PlatformGauges } from './platform-gauges.service.js';
import { PlatformStateRepository } from './platform-state.repository.js';

@Module({
  imports: [WorkersModule],
  providers: [MetricsServer, PlatformGauges, PlatformStateRepository],
})
export class MetricsModule {}
