import { Module } from '@nestjs/common';
import { PoliteCalls } from './polite-calls.service.js';
import { PoliteDomainsController } from './polite-domains.controller.js';
import { PoliteDomainsRepository } from './polite-domains.repository.js';
import { PoliteSettingsRepository } from './polite-settings.repository.js';

@Module({
  controllers: [PoliteDomainsController],
  providers: [PoliteCalls, PoliteDomainsRepository, PoliteSettingsRepository],
  exports: [PoliteCalls],
})
export class PoliteModule {}
