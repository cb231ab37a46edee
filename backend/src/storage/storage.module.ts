import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Connection } from 'mongoose';
import { CONFIG, type Config } from '../common/config.js';
import { CollectionRoomService } from './collection-room.service.js';
import { DocumentCountsService } from './document-counts.service.js';
import { MongoAccessService } from './mongo-access.service.js';
import { MongoAggregationsService } from './mongo-aggregations.service.js';
import { MongoBulkService } from './mongo-bulk.service.js';
import { MongoCollectionsController } from './mongo-collections.controller.js';
import { MongoCollectionsService } from './mongo-collections.service.js';
import { MONGO_OPTIONS, MongoConnectionService } from './mongo-connection.service.js';
import { MongoDatabase } from './mongo-database.entity.js';
import { MongoDatabaseContentsService } from './mongo-database-contents.service.js';
import { MongoDatabasesController } from './mongo-databases.controller.js';
import { MongoDatabasesService } from './mongo-databases.service.js';
import { MongoDocumentsController } from './mongo-documents.controller.js';
import { MongoDocumentsService } from './mongo-documents.service.js';
import { MongoIndexesController } from './mongo-indexes.controller.js';
import { MongoIndexesService } from './mongo-indexes.service.js';
import { MongoQueriesController } from './mongo-queries.controller.js';
import { RunCursorsService } from './run-cursors.service.js';
import { StorageOperationsService } from './storage-operations.service.js';
import { StorageUsageService } from './storage-usage.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([MongoDatabase]),
    MongooseModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({
        uri: config.mongodbUri,
        ...MONGO_OPTIONS,
        // Dials at once but is not waited for, so that no MongoDB is needed to start; who needs it finds out.
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
    // Its `:doc_id` would take every other route of a collection for a document.
    MongoQueriesController,
    MongoDocumentsController,
  ],
  providers: [
    CollectionRoomService,
    DocumentCountsService,
    MongoAccessService,
    MongoAggregationsService,
    MongoBulkService,
    MongoCollectionsService,
    MongoConnectionService,
    MongoDatabaseContentsService,
    MongoDatabasesService,
    MongoDocumentsService,
    MongoIndexesService,
    RunCursorsService,
    StorageOperationsService,
    StorageUsageService,
  ],
  exports: [MongoConnectionService, MongoDatabasesService, StorageOperationsService],
})
export class StorageModule {}
