import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Connection } from 'mongoose';
import { CONFIG, type Config } from '../common/config.js';
import { MONGO_OPTIONS, MongoConnectionService } from './mongo-connection.service.js';
import { MongoDatabase } from './mongo-database.entity.js';
import { MongoDatabasesController } from './mongo-databases.controller.js';
import { MongoDatabasesService } from './mongo-databases.service.js';
import { MongoDocumentsController } from './mongo-documents.controller.js';
import { MongoDocumentsService } from './mongo-documents.service.js';
import { RunCursorsService } from './run-cursors.service.js';
import { StorageOperationsService } from './storage-operations.service.js';

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
  controllers: [MongoDatabasesController, MongoDocumentsController],
  providers: [
    MongoConnectionService,
    MongoDatabasesService,
    MongoDocumentsService,
    RunCursorsService,
    StorageOperationsService,
  ],
  exports: [MongoDatabasesService, StorageOperationsService],
})
export class StorageModule {}
