import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailModule } from '../mail/mail.module.js';
import { FreeWorkersService } from './free-workers.service.js';
import { Worker } from './worker.entity.js';
import { WorkerConnections } from './worker-connections.js';
import { WorkersController } from './workers.controller.js';
import { WorkersService } from './workers.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Worker]), MailModule],
  controllers: [WorkersController],
  providers: [WorkersService, WorkerConnections, FreeWorkersService],
  exports: [WorkersService, WorkerConnections, FreeWorkersService],
})
export class WorkersModule {}
