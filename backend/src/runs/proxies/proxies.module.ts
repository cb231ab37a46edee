import { Module } from '@nestjs/common';
import { ProxyCalls } from './proxy-calls.service.js';
import { ProxyPoolsController } from './proxy-pools.controller.js';
import { ProxyPoolsRepository } from './proxy-pools.repository.js';
import { ProxyPoolsService } from './proxy-pools.service.js';
import { ProxyUseRepository } from './proxy-use.repository.js';

@Module({
  controllers: [ProxyPoolsController],
  providers: [ProxyCalls, ProxyPoolsRepository, ProxyPoolsService, ProxyUseRepository],
  exports: [ProxyCalls],
})
export class ProxiesModule {}
