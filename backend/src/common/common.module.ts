import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from './config.js';
import { LOGGER } from './logger.js';
import { SecretBox } from './secret-box.service.js';

/** Global providers, which every module can inject. */
@Global()
@Module({})
export class CommonModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: CommonModule,
      providers: [{ provide: CONFIG, useValue: config }, { provide: LOGGER, useValue: logger }, SecretBox],
      exports: [CONFIG, LOGGER, SecretBox],
    };
  }
}
