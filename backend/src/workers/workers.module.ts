import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailModule } from '../mail/mail.module.js';
import { WorkerAssignmentsController } from './assignments/worker-assignments.controller.js';
import { WorkerAssignmentsRepository } from './assignments/worker-assignments.repository.js';
import { WorkerAssignmentsService } from './assignments/worker-assignments.service.js';
import { WorkerConnections } from './connections/worker-connections.service.js';
import { FreeWorkersService } from './free-workers.service.js';
import { RestartsService } from './restarts.service.js';
import { Worker } from './worker.entity.js';
import { WorkerWithdrawals } from './worker-withdrawals.service.js';
import { WorkersController } from './workers.controller.js';
import { WorkersRepository } from './workers.repository.js';
import { WorkersService } from './workers.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Worker]), MailModule],
  controllers: [WorkersController, WorkerAssignmentsController],
  providers: [
    FreeWorkersService,
    RestartsService,
    WorkerAssignmentsRepository,
    WorkerAssignmentsService,
    WorkerConnections,
    WorkerWithdrawals,
    WorkersRepository,
    WorkersService,
  ],
  exports: [FreeWorkersService, WorkerConnections, WorkerWithdrawals, WorkersRepository, WorkersService],
})
export class WorkersModule {}
