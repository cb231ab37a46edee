import { Injectable } from '@nestjs/common';
import type { EchoChunk } from '@trawl/contracts';
import type { QuotaRefusal } from '../../../platform/quotas/quota-refusal.js';
import { type ChunkRow, EchoChunksRepository } from '../echo-chunks.repository.js';
import type { ChunkStore } from './chunk-store.js';

/** Keeps the bytes of chunks in their rows. */
@Injectable()
export class PostgresChunkStore implements ChunkStore {
  constructor(private readonly chunks: EchoChunksRepository) {}

  save(workerId: string, chunk: EchoChunk, gz: Buffer): Promise<QuotaRefusal | null> {
    return this.chunks.insert(workerId, chunk, { gz, bytes: gz.length });
  }

  async read({ gz }: ChunkRow): Promise<Buffer> {
    return gz as Buffer;
  }
}
