import { Global, Module } from '@nestjs/common';
import { QuotasService } from './quotas.service.js';

/** Global, because every module that creates something with a quota needs it. */
@Global()
@Module({
  providers: [QuotasService],
  exports: [QuotasService],
})
export class QuotasModule {}
