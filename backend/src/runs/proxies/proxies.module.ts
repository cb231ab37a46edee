import { Module } from '@nestjs/common';
import { ProxyCalls } from './proxy-calls.service.js';
import { ProxyUseRepository } from './proxy-use.repository.js';

@Module({ providers: [ProxyCalls, ProxyUseRepository], exports: [ProxyCalls] })
export class ProxiesModule {}
