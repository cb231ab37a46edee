import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { StorageModule } from '../../data/storage/storage.module.js';
import { ObjectsModule } from '../../platform/objects/objects.module.js';
import { DiskSpace } from './disk-space.service.js';
import { EventLoop } from './event-loop.service.js';
import { HealthController } from './health.controller.js';
import { PlatformHealthController } from './platform-health.controller.js';
import { Readiness } from './readiness.service.js';

@Module({
  imports: [ObjectsModule, StorageModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, PlatformHealthController],
  providers: [Readiness, DiskSpace, EventLoop],
})
export class HealthModule {}
