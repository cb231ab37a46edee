import { Module } from '@nestjs/common';
import { ObjectsModule } from '../../platform/objects/objects.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { ChunkReaders } from './chunk-readers.service.js';
import { EchoChunksRepository } from './echo-chunks.repository.js';
import { EchoesController } from './echoes.controller.js';
import { EchoesService } from './echoes.service.js';
import { RemoteEchoes } from './remote-echoes.service.js';
import { ChunkStores } from './stores/chunk-stores.service.js';
import { PostgresChunkStore } from './stores/postgres-chunk-store.service.js';
import { S3ChunkStore } from './stores/s3-chunk-store.service.js';

@Module({
  imports: [ExecutionsModule, ObjectsModule, WorkersModule],
  controllers: [EchoesController],
  providers: [
    ChunkReaders,
    ChunkStores,
    EchoChunksRepository,
    EchoesService,
    PostgresChunkStore,
    RemoteEchoes,
    S3ChunkStore,
  ],
  exports: [EchoesService],
})
export class EchoesModule {}
