import { Global, Module } from '@nestjs/common';
import { QuotasService } from './quotas.service.js';

/** Of every module that makes something of which an account may have only so much. */
@Global()
@Module({
  providers: [QuotasService],
  exports: [QuotasService],
})
export class QuotasModule {}
