import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobsModule } from '../jobs/jobs.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { Import } from './import.entity.js';
import { ImportJobService } from './import-job.service.js';
import { ImportSweepService } from './import-sweep.service.js';
import { ImportsController } from './imports.controller.js';
import { ImportsRepository } from './imports.repository.js';
import { ImportsService } from './imports.service.js';
import { MovingService } from './moving/moving.service.js';
import { StagingService } from './moving/staging.service.js';
import { UploadsService } from './uploads.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Import]), JobsModule, StorageModule],
  controllers: [ImportsController],
  providers: [
    ImportJobService,
    ImportSweepService,
    ImportsRepository,
    ImportsService,
    MovingService,
    StagingService,
    UploadsService,
  ],
})
export class ImportsModule {}
