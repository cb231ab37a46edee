import { Injectable } from '@nestjs/common';
import { type Finish, type FinishAnswer, RETRIED_ERRORS, type RunErrorCode } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CommitGatherer } from '../common/commit-gatherer.js';
import { preparedQuery } from '../common/prepared-query.js';
import { isOffered } from '../workers/who-may-use.js';
import { WorkerConnections } from '../workers/worker-connections.js';
import { type ExecutionChange, ExecutionEvents } from './execution-events.js';
import { ENDED_COLUMNS, type ExecutionRow, toDto, waitingFor } from './execution-rows.js';
import type { ExecutionDto } from './executions.dto.js';

interface EndedRow {
  id: string;
  owner_id: string;
  worker_id: string | null;
  action: ExecutionChange['action'];
  error_code: string | null;
  updated_at: Date;
}

interface RetriedRow extends EndedRow {
  next_id: string | null;
  next_worker_id: string | null;
  next_at: Date | null;
  next_action: ExecutionChange['action'];
}

type Ending = Omit<Finish, 'epoch' | 'last_chunk' | 'last_seq'> & {
  /** Whose run it has to be; null: anybody's. */
  workerId: string | null;
  /** Null: as it is known. */
  last_seq: number | null;
};

interface WorkersFinish extends Finish {
  workerId: string;
}

const NO_REPORT = { workerId: null, action: 'error', output: null, last_seq: null } as const;

const ENDED = 'e.id, e.owner_id, e.worker_id, e.action, e.error_code, e.updated_at';

/** By way of `sent`, so that one plan serves any number of them, as in `run-rows.ts`. */
const FINISHES = `sent AS MATERIALIZED (
    SELECT $1::uuid[] AS ids, $2::uuid[] AS workers, $3::text[] AS actions, $4::text[] AS outputs, $5::text[] AS codes,
      $6::text[] AS stacks, $7::int[] AS seqs),
  f AS MATERIALIZED (
    SELECT f.* FROM sent, unnest(ids, workers, actions, outputs, codes, stacks, seqs)
      AS f(id, worker_id, action, output, error_code, error_stack, last_seq))`;
const LEASE_IS_OVER = `r.boot_id IS NOT NULL
  AND EXISTS (SELECT 1 FROM worker_leases l WHERE l.worker_id = r.worker_id AND l.lease_until < now())`;

/** `condition` on `live_runs r`. */
const END_WITH_RETRIES = (condition: string): string =>
  `WITH f AS (
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::uuid[])
       AS f(id, worker_id, action, output, error_code, error_stack, last_seq, next_id)),
   gone AS (
     DELETE FROM live_runs r USING f
     WHERE r.execution_id = f.id AND (f.worker_id IS NULL OR r.worker_id = f.worker_id) AND ${condition}
     RETURNING r.*),
   again AS (
     SELECT gone.*, f.next_id, now() + gone.retry_delay_ms * interval '1 ms' AS next_at,
       CASE WHEN gone.on_any THEN NULL ELSE gone.worker_id END AS next_worker_id,
       CASE WHEN gone.want = 'pause' THEN 'pause' ELSE 'start' END AS next_action
     FROM gone JOIN f ON f.id = gone.execution_id
     WHERE gone.retries_left > 0 AND gone.want IS DISTINCT FROM 'stop' AND f.error_code = ANY($9)),
   next_live AS (
     INSERT INTO live_runs (execution_id, owner_id, worker_id, on_any, environment, live_key, forced, time_limit_ms,
       waiting_reason, waiting_since, run_after, payload, sealed_for, schedule_id, retries_left, retry_delay_ms, want)
     SELECT next_id, owner_id, next_worker_id, on_any, environment, live_key, forced, time_limit_ms,
       'retry_scheduled', now(), next_at, payload, COALESCE(sealed_for, execution_id), schedule_id, retries_left - 1,
       retry_delay_ms, want FROM again),
   next_run AS (
     INSERT INTO executions (id, owner_id, worker_id, worker_name, skript_id, skript_name, skript_category, bundle_hash, input_id,
       input_name, input_secret_id, input_secret_name, schedule_id, action, retry_of, attempt)
     SELECT again.next_id, e.owner_id, again.next_worker_id,
       CASE WHEN again.next_worker_id IS NOT NULL THEN e.worker_name END, e.skript_id, e.skript_name, e.skript_category, e.bundle_hash,
       e.input_id, e.input_name, e.input_secret_id, e.input_secret_name, e.schedule_id, again.next_action,
       COALESCE(e.retry_of, e.id), e.attempt + 1
     FROM again JOIN executions e ON e.id = again.execution_id)
   UPDATE executions e
   SET action = CASE WHEN is_stopped THEN 'stop' ELSE f.action END, output = f.output::json,
       error_code = CASE WHEN NOT is_stopped THEN f.error_code END,
       error_stack = CASE WHEN NOT is_stopped THEN f.error_stack END,
       last_seq = COALESCE(f.last_seq, e.last_seq), updated_at = now()
   FROM f JOIN gone ON gone.execution_id = f.id LEFT JOIN again ON again.next_id = f.next_id
     CROSS JOIN LATERAL (
       SELECT gone.want IS NOT DISTINCT FROM 'stop' AND f.error_code IN ('worker_lost', 'worker_restarted') AS is_stopped) s
   WHERE e.id = f.id RETURNING ${ENDED}, again.next_id, again.next_worker_id, again.next_at, again.next_action`;

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

  /** Ends runs that no worker will report. `isFinal`: another try would end the same. */
  async fail(ids: string[], error: { code: RunErrorCode; message: string }, { isFinal = false } = {}): Promise<void> {
    if (ids.length === 0) return;
    if (!isFinal) {
      await this.#endWithRetries(
        ids.map(id => ({ ...NO_REPORT, id, error_code: error.code, error_stack: error.message })),
      );
      return;
    }
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
    const lost = await this.dataSource.query<{ id: string }[]>(
      `SELECT r.execution_id AS id FROM live_runs r WHERE ${LEASE_IS_OVER}`,
    );
    const error = { error_code: 'worker_lost', error_stack: workerLost('stopped answering') };
    const endings = lost.map(({ id }) => ({ ...NO_REPORT, id, ...error }));
    if (lost.length > 0) await this.#endWithRetries(endings, LEASE_IS_OVER);
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

  /**
   * Stops what disabled accounts have under way, and ends what of theirs waits. The command is sent by the dispatcher; to an
   * account that is enabled again before its worker has heard of it, the stop has happened all the same.
   */
  async endOfDisabled(): Promise<void> {
    await this.dataSource.query(
      `UPDATE live_runs r SET want = 'stop', cmd_seq = cmd_seq + 1 FROM users u
       WHERE u.id = r.owner_id AND u.disabled_at IS NOT NULL AND r.boot_id IS NOT NULL AND r.want IS DISTINCT FROM 'stop'`,
    );
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH gone AS (
         DELETE FROM live_runs r USING users u
         WHERE u.id = r.owner_id AND u.disabled_at IS NOT NULL AND r.boot_id IS NULL RETURNING r.execution_id)
       UPDATE executions e SET action = 'error', error_code = 'account_disabled', error_stack = $1, updated_at = now()
       FROM gone WHERE e.id = gone.execution_id RETURNING ${ENDED}`,
      [DISABLED],
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
    const mayBeRetried = finishes.filter(({ error_code }) => isRetried(error_code));
    const last = finishes.filter(({ error_code }) => !isRetried(error_code));
    const ended = new Set([
      ...(last.length > 0 ? await this.#endForGood(last) : []),
      ...(mayBeRetried.length > 0 ? await this.#endWithRetries(mayBeRetried) : []),
    ]);
    const late = finishes.filter(finish => !ended.has(finish.id));
    if (late.length > 0) await this.#noteLate(late);
    return finishes.map(finish => ({ result: ended.has(finish.id) ? 'ok' : 'late' }));
  }

  /** @returns the ids of those that ended now. */
  async #endForGood(finishes: WorkersFinish[]): Promise<string[]> {
    const rows = await preparedQuery<ExecutionRow & EndedRow>(
      this.dataSource,
      'end of runs',
      `WITH ${FINISHES},
       gone AS (
         DELETE FROM live_runs r USING f WHERE r.execution_id = f.id AND r.worker_id = f.worker_id
         RETURNING r.execution_id)
       UPDATE executions e
       SET action = f.action, output = f.output::json, error_code = f.error_code, error_stack = f.error_stack,
           last_seq = f.last_seq, updated_at = now()
       FROM f JOIN gone ON gone.execution_id = f.id WHERE e.id = f.id RETURNING ${ENDED_COLUMNS}`,
      columnsOf(finishes),
    );
    this.#tell(rows, rows.map(toDto));
    return rows.map(row => row.id);
  }

  /**
   * Ends runs, and writes the next try of those that have one left, in one statement: whoever looks finds the run or its
   * next try. It keeps the key, the values, the place in the order and a pause; it is stopped like any run that waits. One
   * that was told to stop and lost its worker meanwhile has stopped.
   * @returns the ids of those that ended now.
   */
  async #endWithRetries(endings: Ending[], condition = 'true'): Promise<string[]> {
    const [rows] = await this.dataSource.query<[RetriedRow[], number]>(END_WITH_RETRIES(condition), [
      ...columnsOf(endings),
      endings.map(() => uuidv7()),
      RETRIED_ERRORS,
    ]);
    this.#tell(rows);
    for (const { owner_id, next_id, next_worker_id, next_at, next_action, updated_at } of rows) {
      if (next_id === null || next_at === null) continue;
      this.events.changes.next({
        id: next_id,
        owner_id,
        worker_id: next_worker_id,
        action: next_action,
        waiting_for: waitingFor({
          action: next_action,
          waiting_reason: 'retry_scheduled',
          waiting_since: updated_at,
          run_after: next_at,
        }),
        error_code: null,
        updated_at: updated_at.toISOString(),
      });
    }
    return rows.map(row => row.id);
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

  /** @param whole the same runs, where all of them is known. */
  #tell(rows: EndedRow[], whole: ExecutionDto[] = []): void {
    for (const [index, row] of rows.entries()) {
      const ended = whole[index];
      if (row.worker_id) this.connections.get(row.worker_id)?.offered.delete(row.id);
      this.events.changes.next({
        id: row.id,
        owner_id: row.owner_id,
        worker_id: row.worker_id,
        action: row.action,
        waiting_for: null,
        error_code: row.error_code,
        updated_at: row.updated_at.toISOString(),
        ...(ended ? { ended } : {}),
      });
    }
  }
}

/** Text for the owner of a run whose worker is gone. */
export const workerLost = (what: string): string =>
  `The worker ${what} while it had this run. It is not started again by itself unless it has retries left; ` +
  'what it had stored and echoed until then is kept.';

const DISABLED =
  'The account was disabled while this run waited for a worker or for its next try. It is not started again.';
const WITHDRAWN =
  'The worker of this run was deleted, or is not yours to use any more, so it cannot go on there. Start it on another worker, or on any.';
const isRetried = (code: string | null): boolean => (RETRIED_ERRORS as readonly (string | null)[]).includes(code);

const columnsOf = (endings: Ending[]): unknown[][] => [
  endings.map(({ id }) => id),
  endings.map(({ workerId }) => workerId),
  endings.map(({ action }) => action),
  endings.map(({ output }) => output),
  endings.map(({ error_code }) => error_code),
  endings.map(({ error_stack }) => withoutNul(error_stack)),
  endings.map(({ last_seq }) => last_seq),
];

/** SQLSTATE classes for a value that cannot be taken (22), and for one that is too complex (54). */
const isRefusedValue = (error: unknown): boolean => /^(22|54)/.test(String((error as { code?: unknown }).code));

const NOT_KEPT = {
  action: 'error',
  output: null,
  error_code: 'output_not_json',
  error_stack: 'What main.js returned cannot be kept: the database takes no JSON that is nested this deeply.',
} as const;

const withoutNul = (text: string | null): string | null => text?.replaceAll('\u0000', '\ufffd') ?? null;
