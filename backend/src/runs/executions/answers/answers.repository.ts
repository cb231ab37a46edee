import { Injectable } from '@nestjs/common';
import { type AnswerResult, LIMITS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { IS_CONNECTED } from '../../workers/worker-status.js';

/** An answer to a question of a run, as it waits for the worker. */
export interface StoredAnswer {
  seq: number;
  /** The encrypted answer, in base64. */
  sealed: string;
}

/** The worker of a run that gets an answer. */
export interface AnsweringWorker {
  worker_id: string;
  /** Whether a backend has the connection of the worker. */
  is_connected: boolean;
}

/** SQL on `live_runs.answers`: the answers that wait for the run's worker, by key. Null if there are none. */
@Injectable()
export class AnswersRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Adds an answer to a live run that a worker has.
   * @returns the worker, and whether a backend has its connection; null if there is no such run, or if too many answers
   *   wait for it.
   */
  async add(ownerId: string, executionId: string, key: string, answer: StoredAnswer): Promise<AnsweringWorker | null> {
    const [rows] = await this.dataSource.query<[AnsweringWorker[], number]>(
      `UPDATE live_runs SET answers = coalesce(answers, '{}') || jsonb_build_object($3::text, $4::jsonb)
       WHERE execution_id = $2 AND owner_id = $1 AND boot_id IS NOT NULL
         AND (answers IS NULL OR (SELECT count(*) FROM jsonb_object_keys(answers)) < $5)
       RETURNING worker_id,
         EXISTS (SELECT FROM worker_leases l WHERE l.worker_id = live_runs.worker_id AND ${IS_CONNECTED}) AS is_connected`,
      [ownerId, executionId, key, JSON.stringify(answer), LIMITS.waitingAnswers],
    );
    return rows[0] ?? null;
  }

  /** Removes an answer that the worker has acknowledged. Notifies the backend whose call waits for the result. */
  async remove(executionId: string, key: string, result: AnswerResult['result']): Promise<void> {
    await this.dataSource.query(
      `WITH removed AS (UPDATE live_runs SET answers = nullif(answers - $2::text, '{}') WHERE execution_id = $1)
       SELECT pg_notify('trawl_answers', concat_ws(' ', $2::text, $3::text))`,
      [executionId, key, result],
    );
  }
}
