import { Global, Module } from '@nestjs/common';
import { QuotasService } from './quotas.service.js';
import { SavedBytes } from './saved-bytes.service.js';

/** Global, because every module that creates something with a quota needs it. */
@Global()
@Module({
  providers: [QuotasService, SavedBytes],
  exports: [QuotasService, SavedBytes],
})
export class QuotasModule {}
