import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { BACKEND_ID, CONFIG, type Config } from './config.js';
import { LOGGER } from './logger.js';
import { Metrics } from './metrics.service.js';
import { SecretBox } from './secret-box.service.js';
import { Contention } from './shares/contention.service.js';

/** Global providers, which every module can inject. */
@Global()
@Module({})
export class CommonModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: CommonModule,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: LOGGER, useValue: logger },
        { provide: BACKEND_ID, useValue: uuidv7() },
        Contention,
        Metrics,
        SecretBox,
      ],
      exports: [CONFIG, LOGGER, BACKEND_ID, Contention, Metrics, SecretBox],
    };
  }
}
