import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Connection } from 'mongoose';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { JobsModule } from '../../platform/jobs/jobs.module.js';
import { MongoAccessService } from './access/mongo-access.service.js';
import { MongoCallSlots } from './access/mongo-call-limit.interceptor.js';
import { MongoCollectionsController } from './collections/mongo-collections.controller.js';
import { MongoCollectionsService } from './collections/mongo-collections.service.js';
import { MongoIndexesController } from './collections/mongo-indexes.controller.js';
import { MongoIndexesService } from './collections/mongo-indexes.service.js';
import { MongoDatabase } from './databases/mongo-database.entity.js';
import { MongoDatabaseContentsService } from './databases/mongo-database-contents.service.js';
import { MongoDatabasesController } from './databases/mongo-databases.controller.js';
import { MongoDatabasesService } from './databases/mongo-databases.service.js';
import { DocumentBatchesService } from './documents/document-batches.service.js';
import { DocumentCountsService } from './documents/document-counts.service.js';
import { MongoAggregationsService } from './documents/mongo-aggregations.service.js';
import { MongoBulkService } from './documents/mongo-bulk.service.js';
import { MongoDocumentsController } from './documents/mongo-documents.controller.js';
import { MongoDocumentsService } from './documents/mongo-documents.service.js';
import { MongoQueriesController } from './documents/mongo-queries.controller.js';
import { CollectionLimitService } from './mongodb/collection-limit.service.js';
import { MONGO_OPTIONS, MongoConnectionService } from './mongodb/mongo-connection.service.js';
import { MongoErrorsService } from './mongodb/mongo-errors.service.js';
import { RunCursorsService } from './runs/run-cursors.service.js';
import { StorageOperationsService } from './runs/storage-operations.service.js';
import { StorageUsageService } from './usage/storage-usage.service.js';

@Module({
  imports: [
    JobsModule,
    TypeOrmModule.forFeature([MongoDatabase]),
    MongooseModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({
        uri: config.mongodbUri,
        ...MONGO_OPTIONS,
        // Connect in the background, so that the backend can start while MongoDB is down. Until then, calls that need
        // MongoDB fail.
        lazyConnection: true,
        connectionFactory: (connection: Connection) => {
          connection.asPromise().catch(() => undefined);
          return connection;
        },
      }),
    }),
  ],
  controllers: [
    MongoDatabasesController,
    MongoCollectionsController,
    MongoIndexesController,
    // Must come before MongoDocumentsController, whose `:doc_id` would match all other paths below a collection.
    MongoQueriesController,
    MongoDocumentsController,
  ],
  providers: [
    CollectionLimitService,
    DocumentBatchesService,
    DocumentCountsService,
    MongoAccessService,
    MongoAggregationsService,
    MongoBulkService,
    MongoCallSlots,
    MongoCollectionsService,
    MongoConnectionService,
    MongoDatabaseContentsService,
    MongoDatabasesService,
    MongoDocumentsService,
    MongoErrorsService,
    MongoIndexesService,
    RunCursorsService,
    StorageOperationsService,
    StorageUsageService,
  ],
  exports: [
    CollectionLimitService,
    DocumentBatchesService,
    MongoAccessService,
    MongoAggregationsService,
    MongoCallSlots,
    MongoConnectionService,
    MongoDatabasesService,
    MongoDocumentsService,
    MongoErrorsService,
    StorageOperationsService,
    StorageUsageService,
  ],
})
export class StorageModule {}
