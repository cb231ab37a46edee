import type { EchoChunk } from '@trawl/contracts';
import type { QuotaRefusal } from '../../../platform/quotas/quota-refusal.js';
import type { ChunkRow } from '../echo-chunks.repository.js';

/** Keeps the bytes of saved chunks. The row of a chunk is always in PostgreSQL. */
export interface ChunkStore {
  /**
   * Saves the bytes and the row of a chunk. Does nothing if the chunk is already saved, or if the run was deleted or
   * belongs to another worker.
   * @returns the refusal if the account has used up its quota of echoes.
   * @throws {ApiError} 503
   */
  save(workerId: string, chunk: EchoChunk, gz: Buffer): Promise<QuotaRefusal | null>;

  /**
   * Reads the bytes of a chunk that this store saved. If they are lost, returns a chunk with a single echo, a warning.
   * @throws {ApiError} 503
   */
  read(row: ChunkRow): Promise<Buffer>;
}
