import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailModule } from '../../platform/mail/mail.module.js';
import { GroupAssignmentsController } from './assignments/group-assignments.controller.js';
import { WorkerAssignmentsController } from './assignments/worker-assignments.controller.js';
import { WorkerAssignmentsRepository } from './assignments/worker-assignments.repository.js';
import { WorkerAssignmentsService } from './assignments/worker-assignments.service.js';
import { WorkerConnections } from './connections/worker-connections.service.js';
import { FreeWorkersService } from './free-workers.service.js';
import { GroupMembers } from './groups/group-members.service.js';
import { WorkerGroupsController } from './groups/worker-groups.controller.js';
import { WorkerGroupsRepository } from './groups/worker-groups.repository.js';
import { WorkerGroupsService } from './groups/worker-groups.service.js';
import { WorkerHistoryController } from './history/worker-history.controller.js';
import { WorkerHistory } from './history/worker-history.service.js';
import { RestartsService } from './restarts.service.js';
import { Worker } from './worker.entity.js';
import { WorkerWithdrawals } from './worker-withdrawals.service.js';
import { WorkersController } from './workers.controller.js';
import { WorkersRepository } from './workers.repository.js';
import { WorkersService } from './workers.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Worker]), MailModule],
  controllers: [
    WorkersController,
    WorkerAssignmentsController,
    WorkerGroupsController,
    GroupAssignmentsController,
    WorkerHistoryController,
  ],
  providers: [
    FreeWorkersService,
    GroupMembers,
    RestartsService,
    WorkerAssignmentsRepository,
    WorkerAssignmentsService,
    WorkerConnections,
    WorkerGroupsRepository,
    WorkerGroupsService,
    WorkerHistory,
    WorkerWithdrawals,
    WorkersRepository,
    WorkersService,
  ],
  exports: [
    FreeWorkersService,
    GroupMembers,
    WorkerConnections,
    WorkerGroupsRepository,
    WorkerWithdrawals,
    WorkersRepository,
    WorkersService,
  ],
})
export class WorkersModule {}
