import { Module } from '@nestjs/common';
import { StorageModule } from '../../data/storage/storage.module.js';
import { QueueCallsRepository } from './queue-calls.repository.js';
import { QueueListsRepository } from './queue-lists.repository.js';
import { QueueOperationsService } from './queue-operations.service.js';
import { QueuesController } from './queues.controller.js';
import { QueuesRepository } from './queues.repository.js';
import { QueuesService } from './queues.service.js';

@Module({
  imports: [StorageModule],
  controllers: [QueuesController],
  providers: [QueueCallsRepository, QueueListsRepository, QueueOperationsService, QueuesRepository, QueuesService],
  exports: [QueueOperationsService],
})
export class QueuesModule {}
