import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PostgresModule } from '../../data/postgres/postgres.module.js';
import { StorageModule } from '../../data/storage/storage.module.js';
import { JobsModule } from '../../platform/jobs/jobs.module.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { OutgoingModule } from '../../platform/outgoing/outgoing.module.js';
import { ExecutionsModule } from '../../runs/executions/executions.module.js';
import { EmailDestination } from './destinations/email-destination.service.js';
import { ExportDestinations } from './destinations/export-destinations.service.js';
import { S3Destination } from './destinations/s3-destination.service.js';
import { WebhookDestination } from './destinations/webhook-destination.service.js';
import { ExportDownloadsController } from './export-downloads.controller.js';
import { ExportFilesService } from './export-files.service.js';
import { ExportJobs } from './export-jobs.service.js';
import { ExportLinksController } from './export-links.controller.js';
import { ExportStreamsService } from './export-streams.service.js';
import { ExportedIds } from './exporters/exported-ids.service.js';
import { Exporter } from './exporters/exporter.entity.js';
import { ExportersController } from './exporters/exporters.controller.js';
import { ExportersService } from './exporters/exporters.service.js';
import { ExportersTimer } from './exporters/exporters-timer.service.js';
import { ExportsAfterRuns } from './exporters/exports-after-runs.service.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';
import { ChangesSource } from './sources/changes-source.service.js';
import { CollectionSource } from './sources/collection-source.service.js';
import { ExportSources } from './sources/export-sources.service.js';
import { QuerySource, TableSource } from './sources/postgres-source.service.js';
import { RunSource } from './sources/run-source.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Exporter]),
    ExecutionsModule,
    JobsModule,
    MailModule,
    OutgoingModule,
    PostgresModule,
    StorageModule,
  ],
  controllers: [ExportDownloadsController, ExportLinksController, ExportsController, ExportersController],
  providers: [
    ChangesSource,
    CollectionSource,
    EmailDestination,
    ExportDestinations,
    ExportedIds,
    ExportFilesService,
    ExportJobs,
    ExportSources,
    ExportStreamsService,
    ExportersService,
    ExportersTimer,
    ExportsAfterRuns,
    ExportsService,
    QuerySource,
    RunSource,
    S3Destination,
    TableSource,
    WebhookDestination,
  ],
  exports: [ExportFilesService, ExportSources, ExportersService],
})
export class ExportsModule {}
