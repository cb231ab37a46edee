import { Inject, Injectable } from '@nestjs/common';
import type { EchoChunk } from '@trawl/contracts';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import type { QuotaRefusal } from '../../../platform/quotas/quota-refusal.js';
import type { ChunkRow } from '../echo-chunks.repository.js';
import type { ChunkStore } from './chunk-store.js';
import { PostgresChunkStore } from './postgres-chunk-store.service.js';
import { S3ChunkStore } from './s3-chunk-store.service.js';

/** Smaller chunks stay in PostgreSQL: there, the request and the key of an object would cost more than the bytes. */
export const MIN_OBJECT_BYTES = 16 * 1024;

/** Saves each chunk in the store of the settings, and reads it from where it is. */
@Injectable()
export class ChunkStores implements ChunkStore {
  constructor(
    private readonly postgres: PostgresChunkStore,
    private readonly s3: S3ChunkStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'echoStore'>,
  ) {}

  save(workerId: string, chunk: EchoChunk, gz: Buffer): Promise<QuotaRefusal | null> {
    const isObject = this.config.echoStore === 's3' && gz.length >= MIN_OBJECT_BYTES;
    return (isObject ? this.s3 : this.postgres).save(workerId, chunk, gz);
  }

  read(row: ChunkRow): Promise<Buffer> {
    return (row.object_key === null ? this.postgres : this.s3).read(row);
  }
}
