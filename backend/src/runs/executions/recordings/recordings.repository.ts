import { Injectable } from '@nestjs/common';
import { LIMITS, type RecordSummary } from '@trawl/contracts';
import { DataSource } from 'typeorm';

/** A part of a record. Its bytes are in `data`, or in an object. */
export interface RecordPart {
  n: number;
  bytes: number;
  data: Buffer | null;
  object_key: string | null;
}

/** The run of a record that a worker uploads. */
interface RecordedRun {
  ownerId: string;
}

/** SQL on `record_parts p`: whether it is too old, or its run is gone. */
const EXPIRED = `p.created_at < now() - interval '${LIMITS.recordDays} days'
  OR p.created_at < now() - interval '1 day' AND NOT EXISTS (
    SELECT FROM executions e WHERE e.id = p.execution_id AND e.record->>'bytes' <> '0')`;
const DELETED: RecordSummary = {
  bytes: 0,
  exchanges: 0,
  problem: `Trawl has deleted the record, because it keeps records for ${LIMITS.recordDays} days.`,
};

/** Statements on `record_parts`, and on the record of an execution. */
@Injectable()
export class RecordingsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Finds a run that was on this worker. */
  async runOf(workerId: string, id: string): Promise<RecordedRun | undefined> {
    const [run] = await this.dataSource.query<RecordedRun[]>(
      'SELECT owner_id AS "ownerId" FROM executions WHERE id = $1 AND worker_id = $2',
      [id, workerId],
    );
    return run;
  }

  /** Whether a live run on this worker replays the record of a run. */
  async isReplayedBy(workerId: string, id: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM live_runs r JOIN executions e ON e.id = r.execution_id
       WHERE r.worker_id = $1 AND r.boot_id IS NOT NULL AND e.replay_of = $2 LIMIT 1`,
      [workerId, id],
    );
    return rows.length > 0;
  }

  /** Registers an object before its upload, so that it is deleted if no row of its part follows. */
  async beginObject(key: string): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO object_deletions (key, delete_after) VALUES ($1, now() + interval '1 day')`,
      [key],
    );
  }

  /** Adds a part, unless the run was deleted meanwhile. Returns whether it was added. */
  async addPart(id: string, ownerId: string, { n, bytes, data, object_key }: RecordPart): Promise<boolean> {
    // The lock makes a deletion of the run wait, so that it deletes this part too.
    const rows = await this.dataSource.query<unknown[]>(
      `WITH run AS (SELECT id FROM executions WHERE id = $1 AND owner_id = $3 FOR KEY SHARE),
         kept AS (DELETE FROM object_deletions WHERE key = $6 AND EXISTS (SELECT FROM run))
       INSERT INTO record_parts (execution_id, n, owner_id, bytes, data, object_key)
       SELECT id, $2, $3, $4, $5, $6 FROM run RETURNING 1`,
      [id, n, ownerId, bytes, data, object_key],
    );
    return rows.length > 0;
  }

  async part(id: string, n: number): Promise<RecordPart | undefined> {
    const [part] = await this.dataSource.query<RecordPart[]>(
      'SELECT n, bytes, data, object_key FROM record_parts WHERE execution_id = $1 AND n = $2',
      [id, n],
    );
    return part;
  }

  async deleteParts(id: string): Promise<void> {
    await this.dataSource.query('DELETE FROM record_parts WHERE execution_id = $1', [id]);
  }

  /** Sets the record of a run if all its bytes are in parts. Returns whether it was set. */
  async setRecord(id: string, record: RecordSummary): Promise<boolean> {
    const [rows] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE executions SET record = $2
       WHERE id = $1 AND $3 = (SELECT coalesce(sum(bytes), 0) FROM record_parts WHERE execution_id = $1)
       RETURNING 1`,
      [id, JSON.stringify(record), record.bytes],
    );
    return rows.length > 0;
  }

  async bytesOf(ownerId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ bytes: string }[]>(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM record_parts WHERE owner_id = $1',
      [ownerId],
    );
    return Number(row?.bytes ?? 0);
  }

  /** Deletes records that are too old, and those of deleted runs. */
  async deleteExpired(): Promise<void> {
    await this.dataSource.query(
      `WITH expired AS (DELETE FROM record_parts p WHERE ${EXPIRED} RETURNING execution_id)
       UPDATE executions SET record = $1 WHERE id IN (SELECT execution_id FROM expired) AND record->>'bytes' <> '0'`,
      [JSON.stringify(DELETED)],
    );
  }
}
