import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/executions.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { ChunkReaders } from './chunk-readers.service.js';
import { EchoChunksRepository } from './echo-chunks.repository.js';
import { EchoesController } from './echoes.controller.js';
import { EchoesService } from './echoes.service.js';
import { RemoteEchoes } from './remote-echoes.service.js';

@Module({
  imports: [ExecutionsModule, WorkersModule],
  controllers: [EchoesController],
  providers: [ChunkReaders, EchoChunksRepository, EchoesService, RemoteEchoes],
  exports: [EchoesService],
})
export class EchoesModule {}
