import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EchoChunk, leaseTimes } from '@trawl/contracts';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { timeOfId } from '../../../platform/common/sql/first-id-at.js';
import { ObjectStore } from '../../../platform/objects/object-store.service.js';
import { DamagedObject } from '../../../platform/objects/s3-bucket.js';
import type { QuotaRefusal } from '../../../platform/quotas/quota-refusal.js';
import { type ChunkRow, EchoChunksRepository } from '../echo-chunks.repository.js';
import { warningChunk } from '../warning-chunk.js';
import type { ChunkStore } from './chunk-store.js';

/** Keeps the bytes of chunks in an object store; their rows keep the key and the SHA-256. */
@Injectable()
export class S3ChunkStore implements ChunkStore {
  constructor(
    private readonly chunks: EchoChunksRepository,
    private readonly objects: ObjectStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'leaseMs'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async save(workerId: string, chunk: EchoChunk, gz: Buffer): Promise<QuotaRefusal | null> {
    this.objects.assertMayPut();
    // Each attempt has a key of its own, so that deleting what one attempt left can never delete a saved chunk.
    const key = `echoes/${chunk.id}/${chunk.n}-${uuidv7()}.csv.gz`;
    const settled = await this.chunks.beginObject(workerId, chunk, key);
    if (settled) return settled.refusal ?? null;
    // The worker reconnects if an answer takes longer than two heartbeats.
    await this.objects.put(key, gz, 1.5 * leaseTimes(this.config.leaseMs).heartbeatMs);
    return this.chunks.insert(workerId, chunk, { key, sha256: sha256(gz), bytes: gz.length });
  }

  async read(row: ChunkRow): Promise<Buffer> {
    const key = row.object_key as string;
    const problem = (what: string) => {
      this.logger.error({ execution: row.execution_id, key }, `object with saved echoes ${what}`);
      const msg = `Trawl cannot show the echoes from ${row.from_seq} to ${row.to_seq}: the object with them ${what}. Tell your administrator.`;
      return warningChunk(row.to_seq, new Date(timeOfId(row.execution_id)), msg);
    };
    try {
      const gz = await this.objects.get(key, row.object_bytes as number);
      if (!gz) return problem('is missing');
      return sha256(gz).equals(row.object_sha256 as Buffer) ? gz : problem('is damaged');
    } catch (error) {
      if (error instanceof DamagedObject) return problem('is damaged');
      throw error;
    }
  }
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
