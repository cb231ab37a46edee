import { Module } from '@nestjs/common';
import { WorkerConnections } from '../workers/worker-connections.js';
import { EndingsService } from './endings.service.js';
import { ExecutionEvents } from './execution-events.js';

/** What ends a run, for whoever takes away what it needs. */
@Module({
  providers: [EndingsService, ExecutionEvents, WorkerConnections],
  exports: [EndingsService, ExecutionEvents, WorkerConnections],
})
export class EndingsModule {}
