import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExecutionsModule } from '../executions/executions.module.js';
import { FireWriterService } from './fire-writer.service.js';
import { Schedule } from './schedule.entity.js';
import { ScheduleFiresService } from './schedule-fires.service.js';
import { SchedulerService } from './scheduler.service.js';
import { SchedulesController } from './schedules.controller.js';
import { SchedulesService } from './schedules.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Schedule]), ExecutionsModule],
  controllers: [SchedulesController],
  providers: [SchedulesService, SchedulerService, ScheduleFiresService, FireWriterService],
})
export class SchedulerModule {}
