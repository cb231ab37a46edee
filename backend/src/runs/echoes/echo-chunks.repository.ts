import { Injectable } from '@nestjs/common';
import type { EchoChunk } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import type { QuotaRefusal } from '../../platform/quotas/quota-refusal.js';
import { QuotasService } from '../../platform/quotas/quotas.service.js';

export interface ChunkRow {
  execution_id: string;
  n: number;
  from_seq: number;
  to_seq: number;
  /** Null if the bytes are in the object `object_key`. */
  gz: Buffer | null;
  object_key: string | null;
  object_sha256: Buffer | null;
  object_bytes: number | null;
}

const COLUMNS = 'execution_id, n, from_seq, to_seq, gz, object_key, object_sha256, object_bytes';

/** The bytes of a chunk as its row keeps them, or the object with them. */
export type StoredBytes = { bytes: number } & ({ gz: Buffer } | { key: string; sha256: Buffer });

/** Statements on `echo_chunks`. See docs/decisions/0410-saved-echoes-in-s3.md. */
@Injectable()
export class EchoChunksRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * Inserts a chunk. Does nothing if the chunk is already saved, or if the run was deleted or belongs to another
   * worker.
   * @returns the refusal if the account has used up its quota of echoes.
   */
  async insert(workerId: string, chunk: EchoChunk, stored: StoredBytes): Promise<QuotaRefusal | null> {
    const [gz, key, sha256] = 'gz' in stored ? [stored.gz, null, null] : [null, stored.key, stored.sha256];
    const [row] = await this.dataSource.query<{ refusal: QuotaRefusal | null }[]>(
      'SELECT save_chunk($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS refusal',
      [
        chunk.id,
        workerId,
        chunk.n,
        chunk.from_seq,
        chunk.to_seq,
        gz,
        key,
        sha256,
        stored.bytes,
        this.quotas.defaultOf('echo_bytes_per_day'),
      ],
    );
    return row?.refusal ?? null;
  }

  /**
   * Registers an object before its upload, so that it is deleted if `insert` never follows.
   * @returns null if it may be uploaded. Otherwise the chunk needs no object: with a refusal if the account has used up
   * its quota of echoes, and without one if `insert` would do nothing.
   */
  async beginObject(
    workerId: string,
    chunk: Pick<EchoChunk, 'id' | 'n'>,
    key: string,
  ): Promise<{ refusal?: QuotaRefusal } | null> {
    const [row] = await this.dataSource.query<{ settled: { refusal?: QuotaRefusal } | null }[]>(
      'SELECT begin_chunk_object($1, $2, $3, $4, $5) AS settled',
      [chunk.id, workerId, chunk.n, key, this.quotas.defaultOf('echo_bytes_per_day')],
    );
    return row?.settled ?? null;
  }

  /**
   * Records that the echoes of a chunk are not saved: replaces the marker at the end of the run's chunks, or inserts one.
   * So a run has one marker, however many chunks are dropped one after the other.
   * @param gz the marker: a single echo with the number of the chunk's last one.
   */
  async insertMarker({ id, n, from_seq, to_seq }: EchoChunk, gz: Buffer): Promise<void> {
    await this.dataSource.query(
      `WITH last AS (SELECT c.n, c.is_dropped FROM echo_chunks c WHERE c.execution_id = $1 ORDER BY c.n DESC LIMIT 1),
       replaced AS (
         UPDATE echo_chunks c SET to_seq = $4, gz = $5 FROM last
         WHERE c.execution_id = $1 AND c.n = last.n AND last.is_dropped AND c.to_seq < $4 RETURNING 1)
       INSERT INTO echo_chunks (execution_id, n, from_seq, to_seq, gz, is_dropped)
       SELECT $1, $2, $3, $4, $5, true WHERE NOT EXISTS (SELECT FROM last WHERE is_dropped)
       ON CONFLICT (execution_id, n) DO NOTHING`,
      [id, n, from_seq, to_seq, gz],
    );
  }

  /** The first chunk after chunk `n` with an echo after `seq`. */
  async findNext(executionId: string, n: number, seq: number): Promise<ChunkRow | undefined> {
    const [chunk] = await this.dataSource.query<ChunkRow[]>(
      `SELECT ${COLUMNS} FROM echo_chunks
       WHERE execution_id = $1 AND n > $2 AND to_seq > $3 ORDER BY n LIMIT 1`,
      [executionId, n, seq],
    );
    return chunk;
  }

  /** The last chunk before chunk `n` with an echo before `seq`. */
  async findPrevious(executionId: string, n: number, seq: number): Promise<ChunkRow | undefined> {
    const [chunk] = await this.dataSource.query<ChunkRow[]>(
      `SELECT ${COLUMNS} FROM echo_chunks
       WHERE execution_id = $1 AND n < $2 AND from_seq < $3 ORDER BY n DESC LIMIT 1`,
      [executionId, n, seq],
    );
    return chunk;
  }

  /** Number of the last saved echo; 0 if none is saved. */
  async lastSavedSeq(executionId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ seq: number }[]>(
      'SELECT to_seq AS seq FROM echo_chunks WHERE execution_id = $1 ORDER BY n DESC LIMIT 1',
      [executionId],
    );
    return row?.seq ?? 0;
  }
}
