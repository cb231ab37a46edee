import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A run of the account, and the run with which its verdict compares it. */
export interface RunWithGoodOne {
  skript_id: string;
  /** Null if there is none. */
  good_id: string | null;
}

@Injectable()
export class SelectorsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns undefined if the account has no such run. */
  async runWithGoodOne(ownerId: string, id: string): Promise<RunWithGoodOne | undefined> {
    const [run] = await this.dataSource.query<RunWithGoodOne[]>(
      `SELECT e.skript_id, g.execution_id AS good_id
       FROM executions e LEFT JOIN run_profiles p ON p.execution_id = e.id
         LEFT JOIN LATERAL (
           SELECT execution_id FROM run_profiles
           WHERE skript_id = p.skript_id AND input_key = p.input_key AND execution_id < p.execution_id AND is_good
             AND verdict IS NOT NULL
           ORDER BY execution_id DESC LIMIT 1) g ON true
       WHERE e.id = $1 AND e.owner_id = $2`,
      [id, ownerId],
    );
    return run;
  }
}
