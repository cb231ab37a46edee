import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EndingsModule } from '../executions/endings.module.js';
import { MailModule } from '../mail/mail.module.js';
import { FreeWorkersService } from './free-workers.service.js';
import { RestartsService } from './restarts.service.js';
import { Worker } from './worker.entity.js';
import { WorkerAssignmentsController } from './worker-assignments.controller.js';
import { WorkerAssignmentsService } from './worker-assignments.service.js';
import { WorkersController } from './workers.controller.js';
import { WorkersService } from './workers.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Worker]), EndingsModule, MailModule],
  controllers: [WorkersController, WorkerAssignmentsController],
  providers: [WorkersService, FreeWorkersService, RestartsService, WorkerAssignmentsService],
  exports: [WorkersService, FreeWorkersService, EndingsModule],
})
export class WorkersModule {}
