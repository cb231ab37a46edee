import { Module } from '@nestjs/common';
import { PoliteCalls } from './polite-calls.service.js';
import { PoliteDomainsRepository } from './polite-domains.repository.js';

@Module({ providers: [PoliteCalls, PoliteDomainsRepository], exports: [PoliteCalls] })
export class PoliteModule {}
