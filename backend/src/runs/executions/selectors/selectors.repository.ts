import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { INPUT_KEY } from '../verdicts/profiles-sql.js';

/** A run of the account, and the last good run before it with the same skript and input. */
export interface RunWithGoodOne {
  skript_id: string;
  /** Null if there is none. */
  good_id: string | null;
  /** Where that run stored rows first: a target of its profile. Null if it stored none. */
  good_target: string | null;
}

@Injectable()
export class SelectorsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns undefined if the account has no such run. */
  async runWithGoodOne(ownerId: string, id: string): Promise<RunWithGoodOne | undefined> {
    const [run] = await this.dataSource.query<RunWithGoodOne[]>(
      // A run that ended with an error has no profile.
      `SELECT e.skript_id, g.execution_id AS good_id, g.target AS good_target
       FROM executions e LEFT JOIN run_profiles p ON p.execution_id = e.id
         LEFT JOIN LATERAL (
           SELECT execution_id, profile->'targets'->0->>'target' AS target FROM run_profiles
           WHERE skript_id = e.skript_id AND input_key = COALESCE(p.input_key, ${INPUT_KEY}) AND execution_id < e.id
             AND is_good AND verdict IS NOT NULL
           ORDER BY execution_id DESC LIMIT 1) g ON true
       WHERE e.id = $1 AND e.owner_id = $2`,
      [id, ownerId],
    );
    return run;
  }
}
