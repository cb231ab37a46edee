import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PostgresModule } from '../../data/postgres/postgres.module.js';
import { StorageModule } from '../../data/storage/storage.module.js';
import { JobsModule } from '../../platform/jobs/jobs.module.js';
import { Import } from './import.entity.js';
import { ImportJobService } from './import-job.service.js';
import { ImportSweepService } from './import-sweep.service.js';
import { ImportsController } from './imports.controller.js';
import { ImportsRepository } from './imports.repository.js';
import { ImportsService } from './imports.service.js';
import { MovingService } from './moving/moving.service.js';
import { StagingService } from './moving/staging.service.js';
import { ImportPlansService } from './tables/import-plans.service.js';
import { TableImportService } from './tables/table-import.service.js';
import { ImportTablesService } from './tables/tables.service.js';
import { UploadsService } from './uploads.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Import]), JobsModule, PostgresModule, StorageModule],
  controllers: [ImportsController],
  providers: [
    ImportJobService,
    ImportPlansService,
    ImportSweepService,
    ImportTablesService,
    ImportsRepository,
    ImportsService,
    MovingService,
    StagingService,
    TableImportService,
    UploadsService,
  ],
})
export class ImportsModule {}
