import { Injectable } from '@nestjs/common';
import type { EchoChunk } from '@trawl/contracts';
import { DataSource } from 'typeorm';

export interface ChunkRow {
  n: number;
  from_seq: number;
  to_seq: number;
  gz: Buffer;
}

/** Statements on `echo_chunks`. */
@Injectable()
export class EchoChunksRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Inserts a chunk. Does nothing if the chunk is already saved, or if the run was deleted or belongs to another
   * worker.
   */
  async insert(workerId: string, chunk: EchoChunk, gz: Buffer): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO echo_chunks (execution_id, n, from_seq, to_seq, gz)
       SELECT id, $3, $4, $5, $6 FROM executions WHERE id = $1 AND worker_id = $2
       ON CONFLICT (execution_id, n) DO NOTHING`,
      [chunk.id, workerId, chunk.n, chunk.from_seq, chunk.to_seq, gz],
    );
  }

  /** The first chunk after chunk `n` with an echo after `seq`. */
  async findNext(executionId: string, n: number, seq: number): Promise<ChunkRow | undefined> {
    const [chunk] = await this.dataSource.query<ChunkRow[]>(
      `SELECT n, from_seq, to_seq, gz FROM echo_chunks
       WHERE execution_id = $1 AND n > $2 AND to_seq > $3 ORDER BY n LIMIT 1`,
      [executionId, n, seq],
    );
    return chunk;
  }

  /** The last chunk before chunk `n` with an echo before `seq`. */
  async findPrevious(executionId: string, n: number, seq: number): Promise<ChunkRow | undefined> {
    const [chunk] = await this.dataSource.query<ChunkRow[]>(
      `SELECT n, from_seq, to_seq, gz FROM echo_chunks
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
