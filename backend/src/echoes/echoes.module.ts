import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/executions.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { EchoesController } from './echoes.controller.js';
import { EchoesService } from './echoes.service.js';

@Module({
  imports: [ExecutionsModule, WorkersModule],
  controllers: [EchoesController],
  providers: [EchoesService],
  exports: [EchoesService],
})
export class EchoesModule {}
