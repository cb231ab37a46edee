import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MongoConnectionService } from './mongo-connection.service.js';
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
    // Without an address Mongoose does not dial; MongoConnectionService does, so that no MongoDB is needed to start.
    MongooseModule.forRootAsync({ useFactory: () => ({ lazyConnection: true }) }),
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
