import { Injectable } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import type { StoredAnswer } from '../records/live-runs.repository.js';

/** SQL on `live_runs.answers`: the answers that wait for the run's worker, by key. Null if there are none. */
@Injectable()
export class AnswersRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Adds an answer to a live run that a worker has.
   * @returns the worker; null if there is no such run, or if too many answers wait for it.
   */
  async add(ownerId: string, executionId: string, key: string, answer: StoredAnswer): Promise<string | null> {
    const [rows] = await this.dataSource.query<[{ worker_id: string }[], number]>(
      `UPDATE live_runs SET answers = coalesce(answers, '{}') || jsonb_build_object($3::text, $4::jsonb)
       WHERE execution_id = $2 AND owner_id = $1 AND boot_id IS NOT NULL
         AND (answers IS NULL OR (SELECT count(*) FROM jsonb_object_keys(answers)) < $5)
       RETURNING worker_id`,
      [ownerId, executionId, key, JSON.stringify(answer), LIMITS.waitingAnswers],
    );
    return rows[0]?.worker_id ?? null;
  }

  async remove(executionId: string, key: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE live_runs SET answers = nullif(answers - $2::text, '{}') WHERE execution_id = $1`,
      [executionId, key],
    );
  }
}
