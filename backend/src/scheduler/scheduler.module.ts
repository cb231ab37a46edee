import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExecutionsModule } from '../executions/executions.module.js';
import { MailModule } from '../mail/mail.module.js';
import { FireWriterService } from './fire-writer.service.js';
import { Schedule } from './schedule.entity.js';
import { ScheduleFiresService } from './schedule-fires.service.js';
import { ScheduleProblemsService } from './schedule-problems.service.js';
import { SchedulerService } from './scheduler.service.js';
import { SchedulesController } from './schedules.controller.js';
import { SchedulesService } from './schedules.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Schedule]), ExecutionsModule, MailModule],
  controllers: [SchedulesController],
  providers: [SchedulesService, SchedulerService, ScheduleFiresService, FireWriterService, ScheduleProblemsService],
})
export class SchedulerModule {}
