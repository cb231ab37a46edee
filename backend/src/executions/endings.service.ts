import { Injectable } from '@nestjs/common';
import type { Finish, FinishAnswer, RunErrorCode } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { CommitGatherer } from '../common/commit-gatherer.js';
import { isOffered } from '../workers/who-may-use.js';
import { WorkerConnections } from '../workers/worker-connections.js';
import { type ExecutionChange, ExecutionEvents } from './execution-events.js';

interface EndedRow {
  id: string;
  owner_id: string;
  worker_id: string | null;
  action: ExecutionChange['action'];
  error_code: string | null;
  updated_at: Date;
}

interface WorkersFinish extends Finish {
  workerId: string;
}

const ENDED = 'e.id, e.owner_id, e.worker_id, e.action, e.error_code, e.updated_at';

/**
 * The only place where a run ends. Taking its row out of `live_runs` is the compare-and-set: whoever gets the row writes
 * the ending, everybody else comes too late.
 */
@Injectable()
export class EndingsService {
  readonly #finishes = new CommitGatherer((items: WorkersFinish[]) => this.#writeAll(items));

  constructor(
    private readonly dataSource: DataSource,
    private readonly events: ExecutionEvents,
    private readonly connections: WorkerConnections,
  ) {}

  /** What a worker says of the end of a run. `late` when it had ended already; that is noted on the row. */
  finish(workerId: string, finish: Finish): Promise<FinishAnswer> {
    return this.#finishes.add({ ...finish, workerId });
  }

  /** Ends runs that no worker will report. */
  async fail(ids: string[], error: { code: RunErrorCode; message: string }): Promise<void> {
    if (ids.length === 0) return;
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH gone AS (DELETE FROM live_runs WHERE execution_id = ANY($1::uuid[]) RETURNING execution_id)
       UPDATE executions e SET action = 'error', error_code = $2, error_stack = $3, updated_at = now()
       FROM gone WHERE e.id = gone.execution_id RETURNING ${ENDED}`,
      [ids, error.code, error.message],
    );
    this.#tell(rows);
  }

  /** Ends those of these runs that were told to stop and that no worker has. */
  async endStoppedUnoffered(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH gone AS (
         DELETE FROM live_runs WHERE execution_id = ANY($1::uuid[]) AND boot_id IS NULL AND want = 'stop'
         RETURNING execution_id)
       UPDATE executions e SET action = 'stop', updated_at = now()
       FROM gone WHERE e.id = gone.execution_id RETURNING ${ENDED}`,
      [ids],
    );
    this.#tell(rows);
  }

  /** Ends the runs of every worker whose lease has run out, by PostgreSQL's clock. */
  async endOfExpiredLeases(): Promise<void> {
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH gone AS (
         DELETE FROM live_runs r USING worker_leases l
         WHERE l.worker_id = r.worker_id AND r.boot_id IS NOT NULL AND l.lease_until < now()
         RETURNING r.execution_id)
       UPDATE executions e SET action = 'error', error_code = 'worker_lost', error_stack = $1, updated_at = now()
       FROM gone WHERE e.id = gone.execution_id RETURNING ${ENDED}`,
      [workerLost('stopped answering')],
    );
    this.#tell(rows);
  }

  /** Ends what can never begin: runs of a worker that was deleted, or that wait for one which their owner may not use any more. */
  async endWithdrawn(): Promise<void> {
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH gone AS (
         DELETE FROM live_runs r WHERE r.worker_id IS NOT NULL AND (
           r.boot_id IS NULL AND NOT ${isOffered('r.worker_id', 'r.owner_id')}
           OR NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = r.worker_id))
         RETURNING r.execution_id)
       UPDATE executions e SET action = 'error', error_code = 'worker_withdrawn', error_stack = $1, updated_at = now()
       FROM gone WHERE e.id = gone.execution_id RETURNING ${ENDED}`,
      [WITHDRAWN],
    );
    this.#tell(rows);
  }

  /** One finish that the database refuses must not hold up the others, nor its own run for ever. */
  async #writeAll(finishes: WorkersFinish[]): Promise<FinishAnswer[]> {
    try {
      return await this.#writeFinishes(finishes);
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      if (finishes.length > 1) return (await Promise.all(finishes.map(finish => this.#writeAll([finish])))).flat();
      const [finish] = finishes as [WorkersFinish];
      return this.#writeFinishes([{ ...finish, ...NOT_KEPT }]);
    }
  }

  async #writeFinishes(finishes: WorkersFinish[]): Promise<FinishAnswer[]> {
    const column = <Key extends keyof WorkersFinish>(key: Key) => finishes.map(finish => finish[key]);
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH f AS (
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[])
           AS f(id, worker_id, action, output, error_code, error_stack, last_seq)),
       gone AS (
         DELETE FROM live_runs r USING f WHERE r.execution_id = f.id AND r.worker_id = f.worker_id
         RETURNING r.execution_id)
       UPDATE executions e
       SET action = f.action, output = f.output::json, error_code = f.error_code, error_stack = f.error_stack,
           last_seq = f.last_seq, updated_at = now()
       FROM f JOIN gone ON gone.execution_id = f.id WHERE e.id = f.id RETURNING ${ENDED}`,
      [
        column('id'),
        column('workerId'),
        column('action'),
        column('output'),
        column('error_code'),
        column('error_stack').map(withoutNul),
        column('last_seq'),
      ],
    );
    this.#tell(rows);
    const ended = new Set(rows.map(row => row.id));
    const late = finishes.filter(finish => !ended.has(finish.id));
    if (late.length > 0) await this.#noteLate(late);
    return finishes.map(finish => ({ result: ended.has(finish.id) ? 'ok' : 'late' }));
  }

  /** Only what was lost is worth a note: the finish of a run that its worker ended itself is a repeat. */
  async #noteLate(late: WorkersFinish[]): Promise<void> {
    for (const { id, workerId, action, error_code, last_seq } of late) {
      await this.dataSource.query(
        `UPDATE executions SET late_result = $3, last_seq = GREATEST(last_seq, $4)
         WHERE id = $1 AND worker_id = $2 AND error_code = 'worker_lost' AND late_result IS NULL`,
        [id, workerId, JSON.stringify({ action, error_code, at: new Date().toISOString() }), last_seq],
      );
    }
  }

  #tell(rows: EndedRow[]): void {
    for (const row of rows) {
      if (row.worker_id) this.connections.get(row.worker_id)?.offered.delete(row.id);
      this.events.changes.next({
        id: row.id,
        owner_id: row.owner_id,
        worker_id: row.worker_id,
        action: row.action,
        waiting_for: null,
        error_code: row.error_code,
        updated_at: row.updated_at.toISOString(),
      });
    }
  }
}

/** Text for the owner of a run whose worker is gone. */
export const workerLost = (what: string): string =>
  `The worker ${what} while it had this run. The run was started once and is not started again by itself; ` +
  'what it had stored and echoed until then is kept.';

const WITHDRAWN =
  'The worker of this run was deleted, or is not yours to use any more, so it cannot go on there. Start it on another worker, or on any.';

/** SQLSTATE classes for a value that cannot be taken (22), and for one that is too complex (54). */
const isRefusedValue = (error: unknown): boolean => /^(22|54)/.test(String((error as { code?: unknown }).code));

const NOT_KEPT = {
  action: 'error',
  output: null,
  error_code: 'output_not_json',
  error_stack: 'What main.js returned cannot be kept: the database takes no JSON that is nested this deeply.',
} as const;

const withoutNul = (text: string | null): string | null => text?.replaceAll('\u0000', '\ufffd') ?? null;
