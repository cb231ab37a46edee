import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Job } from './job.entity.js';
import { JobKinds } from './job-kinds.service.js';
import { JobRunnerService } from './job-runner.service.js';
import { JobsRepository } from './jobs.repository.js';
import { JobsService } from './jobs.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Job])],
  providers: [JobKinds, JobRunnerService, JobsRepository, JobsService],
  exports: [JobKinds, JobsService],
})
export class JobsModule {}
