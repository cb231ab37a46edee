import { Module } from '@nestjs/common';
import { ObjectDeletions } from './object-deletions.service.js';
import { ObjectStore } from './object-store.service.js';

@Module({
  providers: [ObjectDeletions, ObjectStore],
  exports: [ObjectStore],
})
export class ObjectsModule {}
