import { Injectable } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import { DataSource } from 'typeorm';

/** The copies that Trawl keeps of the rows of a run. */
export interface KeptRows {
  bytes: number;
  calls: number;
  /** The collections and tables, each with whether all its rows are kept. */
  targets: Map<string, boolean>;
}

/** The rows of a call. `data` is null if there is no room for them. */
interface InsertedCall {
  target: string;
  n: number;
  data: Buffer | null;
}

/** SQL on `inserted_rows i`: whether they are as old as records may be, or their run is gone. */
const EXPIRED = `i.created_at < now() - interval '${LIMITS.recordDays} days'
    AND NOT EXISTS (SELECT FROM record_parts p WHERE p.execution_id = i.execution_id)
  OR i.created_at < now() - interval '1 day' AND NOT EXISTS (SELECT FROM executions e WHERE e.id = i.execution_id)`;

/** Statements on `inserted_rows`. */
@Injectable()
export class InsertedRowsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds a call, unless it was added before. */
  async add(id: string, ownerId: string, { target, n, data }: InsertedCall): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO inserted_rows (execution_id, target, n, owner_id, bytes, data) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING`,
      [id, target, n, ownerId, data?.length ?? 0, data],
    );
  }

  async keptOf(id: string): Promise<KeptRows> {
    const rows = await this.dataSource.query<{ target: string; bytes: string; calls: string; complete: boolean }[]>(
      `SELECT target, sum(bytes) AS bytes, count(*) AS calls, bool_and(data IS NOT NULL) AS complete
       FROM inserted_rows WHERE execution_id = $1 GROUP BY target ORDER BY min(created_at), target`,
      [id],
    );
    return {
      bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
      calls: rows.reduce((sum, { calls }) => sum + Number(calls), 0),
      targets: new Map(rows.map(({ target, complete }) => [target, complete])),
    };
  }

  /** Reads the rows of each call, in the order of the calls. */
  async *read(id: string, target: string): AsyncGenerator<Buffer> {
    for (let after = -1; ; ) {
      const [call] = await this.dataSource.query<{ n: string; data: Buffer }[]>(
        `SELECT n, data FROM inserted_rows WHERE execution_id = $1 AND target = $2 AND n > $3 AND data IS NOT NULL
         ORDER BY n LIMIT 1`,
        [id, target, after],
      );
      if (!call) return;
      yield call.data;
      after = Number(call.n);
    }
  }

  async bytesOf(ownerId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ bytes: string }[]>(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM inserted_rows WHERE owner_id = $1',
      [ownerId],
    );
    return Number(row?.bytes ?? 0);
  }

  /** Deletes the rows of runs whose record is too old, of replays that are as old, and of deleted runs. */
  async deleteExpired(): Promise<void> {
    await this.dataSource.query(`DELETE FROM inserted_rows i WHERE ${EXPIRED}`);
  }
}
