import { Injectable } from '@nestjs/common';
import { type Finish, RECORD_NOT_SENT, RETRYABLE_ERRORS, type RunErrorCode } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { preparedQuery } from '../../../platform/common/sql/prepared-query.js';
import { mayUseWorker } from '../../workers/worker-access.js';
import type { ExecutionChange } from '../records/execution-events.service.js';
import { ENDED_COLUMNS, type ExecutionRow } from '../records/execution-rows.js';
import { jsonOf } from '../records/executions.repository.js';
import { setWrites } from '../records/other-rows-sql.js';
import { NEEDS_GOOD_VERDICT, PROFILE_OF_NO_ROWS } from '../verdicts/profiles-sql.js';

export interface EndedRow {
  id: string;
  owner_id: string;
  worker_id: string | null;
  action: ExecutionChange['action'];
  error_code: string | null;
  updated_at: Date;
}

export interface FinishedRow extends ExecutionRow, EndedRow {
  action: EndedRow['action'];
  updated_at: Date;
  error_code: ExecutionRow['error_code'];
  /** Whether the run has a profile that waits for a verdict. */
  is_judged: boolean;
}

export interface RetriedRow extends EndedRow {
  next_id: string | null;
  next_worker_id: string | null;
  next_at: Date | null;
  next_action: ExecutionChange['action'];
}

export type Ending = Omit<Finish, 'epoch' | 'last_chunk' | 'last_seq'> & {
  /** The run is ended only if this worker has it. Null: the worker does not matter. */
  workerId: string | null;
  /** Number of the last echo. Null leaves the stored value unchanged. */
  last_seq: number | null;
};

/** The end of a run as reported by its worker. */
export interface WorkersFinish extends Finish {
  workerId: string;
  /** Whether the run has a good verdict already. */
  isGood?: boolean;
}

/** SQL on `live_runs r`: whether the lease of the run's worker has expired. */
export const LEASE_EXPIRED = `r.boot_id IS NOT NULL
  AND EXISTS (SELECT 1 FROM worker_leases l WHERE l.worker_id = r.worker_id AND l.lease_until < now())`;

/** SQL on `live_runs r`: whether its worker was deleted. */
export const OF_DELETED_WORKER = `r.worker_id IS NOT NULL AND NOT EXISTS (SELECT FROM workers w WHERE w.id = r.worker_id)`;

/** SQL on `live_runs r`: whether its worker must stop it, because an administrator disabled the account. */
export const TO_STOP = `r.boot_id IS NOT NULL AND r.want IS DISTINCT FROM 'stop'
  AND EXISTS (SELECT FROM users u WHERE u.id = r.owner_id AND u.disabled_at IS NOT NULL)`;

/** SQL on `live_runs r`: whether it waits, and an administrator disabled the account. */
export const WAITS_DISABLED = `r.boot_id IS NULL
  AND EXISTS (SELECT FROM users u WHERE u.id = r.owner_id AND u.disabled_at IS NOT NULL)`;

const FINISH_COLUMNS = 'id, worker_id, action, output, error_code, error_stack, last_seq, writes, usage, requests';

/** SQL on a finish `f`: sets the run's writes and usage. Values that `f` lacks stay as they are. */
const REPORTED = `${setWrites('f.writes::json')}, usage = COALESCE(f.usage::json, e.usage),
  requests = COALESCE(f.requests::json, e.requests)`;

const ENDED = 'e.id, e.owner_id, e.worker_id, e.action, e.error_code, e.updated_at';

/**
 * The `sent` step hides the lengths of the arrays from PostgreSQL's planner, so that it uses the same plan for any
 * number of finishes. See `START` in `start/runs.repository.ts`.
 */
const FINISHES = `sent AS MATERIALIZED (
    SELECT $1::uuid[] AS ids, $2::uuid[] AS workers, $3::text[] AS actions, $4::text[] AS outputs, $5::text[] AS codes,
      $6::text[] AS stacks, $7::int[] AS seqs, $8::text[] AS writes, $9::text[] AS usages, $10::text[] AS requests,
      $11::boolean[] AS goods),
  f AS MATERIALIZED (
    SELECT f.* FROM sent, unnest(ids, workers, actions, outputs, codes, stacks, seqs, writes, usages, sent.requests, goods)
      AS f(${FINISH_COLUMNS}, is_good))`;

/** Returns the statement that ends runs and inserts their retries. `condition` is an SQL condition on `live_runs r`. */
const END_WITH_RETRIES = (condition: string): string =>
  `WITH f AS (
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[], $9::text[],
         $10::text[], $11::uuid[]) AS f(${FINISH_COLUMNS}, next_id)),
   gone AS (
     DELETE FROM live_runs r USING f
     WHERE r.execution_id = f.id AND (f.worker_id IS NULL OR r.worker_id = f.worker_id) AND ${condition}
     RETURNING r.*),
   again AS (
     SELECT gone.*, f.next_id, now() + gone.retry_delay_ms * interval '1 ms' AS next_at,
       CASE WHEN gone.on_any THEN NULL ELSE gone.worker_id END AS next_worker_id,
       CASE WHEN gone.want = 'pause' THEN 'pause' ELSE 'start' END AS next_action
     FROM gone JOIN f ON f.id = gone.execution_id
     WHERE gone.retries_left > 0 AND gone.want IS DISTINCT FROM 'stop' AND f.error_code = ANY($12)),
   next_live AS (
     INSERT INTO live_runs (execution_id, owner_id, worker_id, on_any, environment, live_key, forced, time_limit_ms,
       waiting_reason, waiting_since, run_after, payload, sealed_for, schedule_id, retries_left, retry_delay_ms, want, on_broken)
     SELECT next_id, owner_id, next_worker_id, on_any, environment, live_key, forced, time_limit_ms,
       'retry_scheduled', now(), next_at, payload, COALESCE(sealed_for, execution_id), schedule_id, retries_left - 1,
       retry_delay_ms, want, on_broken FROM again),
   next_run AS (
     INSERT INTO executions (id, owner_id, worker_id, worker_name, skript_id, skript_name, skript_category, bundle_hash, input_id,
       input_name, input_value, input_secret_id, input_secret_name, schedule_id, record, action, retry_of, attempt)
     SELECT again.next_id, e.owner_id, again.next_worker_id,
       CASE WHEN again.next_worker_id IS NOT NULL THEN e.worker_name END, e.skript_id, e.skript_name, e.skript_category, e.bundle_hash,
       e.input_id, e.input_name, e.input_value, e.input_secret_id, e.input_secret_name, e.schedule_id,
       CASE WHEN e.record IS NOT NULL THEN '${JSON.stringify(RECORD_NOT_SENT)}'::json END, again.next_action,
       COALESCE(e.retry_of, e.id), e.attempt + 1
     FROM again JOIN executions e ON e.id = again.execution_id)
   UPDATE executions e
   SET action = CASE WHEN is_stopped THEN 'stop' ELSE f.action END, output = f.output::json,
       error_code = CASE WHEN NOT is_stopped THEN f.error_code END,
       error_stack = CASE WHEN NOT is_stopped THEN f.error_stack END,
       last_seq = COALESCE(f.last_seq, e.last_seq), ${REPORTED}, updated_at = now()
   FROM f JOIN gone ON gone.execution_id = f.id LEFT JOIN again ON again.next_id = f.next_id
     CROSS JOIN LATERAL (
       SELECT gone.want IS NOT DISTINCT FROM 'stop' AND f.error_code IN ('worker_lost', 'worker_restarted') AS is_stopped) s
   WHERE e.id = f.id RETURNING ${ENDED}, again.next_id, again.next_worker_id, again.next_at, again.next_action`;

/**
 * The statements that end runs. Each statement deletes the run's row in `live_runs` and writes the ending. Only one
 * statement can delete the row, so a run is ended only once.
 * See docs/decisions/0156-what-ends-a-run-records-what-follows.md.
 */
@Injectable()
export class EndingsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Ends runs with an error and without a retry.
   * @param builder if it is not null, only runs whose bundle this backend still builds.
   */
  async fail(
    ids: string[],
    { code, message }: { code: RunErrorCode; message: string },
    builder: string | null,
  ): Promise<EndedRow[]> {
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH gone AS (DELETE FROM live_runs WHERE execution_id = ANY($1::uuid[]) AND ($4::uuid IS NULL OR builder = $4)
         RETURNING execution_id)
       UPDATE executions e SET action = 'error', error_code = $2, error_stack = $3, updated_at = now()
       FROM gone WHERE e.id = gone.execution_id RETURNING ${ENDED}`,
      [ids, code, message, builder],
    );
    return rows;
  }

  /** Ends those of the given runs that have a stop command and no worker. */
  async endStoppedUnoffered(ids: string[]): Promise<EndedRow[]> {
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH gone AS (
         DELETE FROM live_runs WHERE execution_id = ANY($1::uuid[]) AND boot_id IS NULL AND want = 'stop'
         RETURNING execution_id)
       UPDATE executions e SET action = 'stop', updated_at = now()
       FROM gone WHERE e.id = gone.execution_id RETURNING ${ENDED}`,
      [ids],
    );
    return rows;
  }

  /** Returns the ids of runs on workers whose lease has expired according to PostgreSQL's clock. */
  async withExpiredLease(): Promise<string[]> {
    const lost = await this.dataSource.query<{ id: string }[]>(
      `SELECT r.execution_id AS id FROM live_runs r WHERE ${LEASE_EXPIRED}`,
    );
    return lost.map(({ id }) => id);
  }

  /** Fails runs of deleted workers, and runs that wait for a worker which their owner may no longer use. */
  async failWithdrawn(message: string): Promise<EndedRow[]> {
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH gone AS (
         DELETE FROM live_runs r WHERE ${OF_DELETED_WORKER}
           OR r.worker_id IS NOT NULL AND r.boot_id IS NULL AND NOT ${mayUseWorker('r.worker_id', 'r.owner_id')}
         RETURNING r.execution_id)
       UPDATE executions e SET action = 'error', error_code = 'worker_withdrawn', error_stack = $1, updated_at = now()
       FROM gone WHERE e.id = gone.execution_id RETURNING ${ENDED}`,
      [message],
    );
    return rows;
  }

  /** Writes a stop command for every run of a disabled account that is on a worker. */
  async stopOfDisabledAccounts(): Promise<void> {
    await this.dataSource.query(`UPDATE live_runs r SET want = 'stop', cmd_seq = cmd_seq + 1 WHERE ${TO_STOP}`);
  }

  /** Fails the waiting runs of disabled accounts. */
  async failOfDisabledAccounts(message: string): Promise<EndedRow[]> {
    const [rows] = await this.dataSource.query<[EndedRow[], number]>(
      `WITH gone AS (
         DELETE FROM live_runs r WHERE ${WAITS_DISABLED} RETURNING r.execution_id)
       UPDATE executions e SET action = 'error', error_code = 'account_disabled', error_stack = $1, updated_at = now()
       FROM gone WHERE e.id = gone.execution_id RETURNING ${ENDED}`,
      [message],
    );
    return rows;
  }

  /** Ends runs that are not retried, except for those that need a verdict first. Returns the runs that this call has ended. */
  finish(finishes: WorkersFinish[]): Promise<FinishedRow[]> {
    return preparedQuery<FinishedRow>(
      this.dataSource,
      'end of runs',
      `WITH ${FINISHES},
       gone AS (
         DELETE FROM live_runs r USING f WHERE r.execution_id = f.id AND r.worker_id = f.worker_id
           AND NOT (f.action = 'end' AND NOT f.is_good AND ${NEEDS_GOOD_VERDICT})
         RETURNING r.execution_id, r.on_broken),
       ended AS (
         UPDATE executions e
         SET action = f.action, output = f.output::json, error_code = f.error_code, error_stack = f.error_stack,
             last_seq = f.last_seq, ${REPORTED}, updated_at = now()
         FROM f JOIN gone ON gone.execution_id = f.id WHERE e.id = f.id
         RETURNING e.*, gone.on_broken, f.writes IS NOT NULL AS has_writes),
       ${PROFILE_OF_NO_ROWS}
       SELECT ${ENDED_COLUMNS},
         e.action = 'end' AND e.replay_of IS NULL AND (e.row_count > 0 OR e.has_writes OR e.id IN (SELECT execution_id FROM no_rows)
           OR EXISTS (SELECT FROM run_profiles p WHERE p.execution_id = e.id)) AS is_judged
       FROM ended e`,
      [...columnsOf(finishes), finishes.map(({ isGood = false }) => isGood)],
    );
  }

  /**
   * Ends runs and inserts the next attempt of those that have retries left. One statement does both, so that no other
   * start can take the live key in between. The next attempt keeps the live key, the values, the schedule and a pause.
   * A run that had a stop command when it lost its worker ends with `stop`.
   * @param condition SQL on `live_runs r` that must still hold.
   */
  async endWithRetries(endings: Ending[], condition = 'true'): Promise<RetriedRow[]> {
    const [rows] = await this.dataSource.query<[RetriedRow[], number]>(END_WITH_RETRIES(condition), [
      ...columnsOf(endings),
      endings.map(() => uuidv7()),
      RETRYABLE_ERRORS,
    ]);
    return rows;
  }

  /**
   * Records what a worker reports about a run that has already ended with `worker_lost`. If the run ended otherwise,
   * the report is a repeated one and is ignored.
   */
  async noteLate({ id, workerId, action, error_code, last_seq, ...report }: WorkersFinish): Promise<void> {
    await this.dataSource.query(
      `UPDATE executions e SET late_result = $3, last_seq = GREATEST(last_seq, $4), ${setWrites('$5::json')},
         usage = COALESCE($6::json, usage), requests = COALESCE($7::json, requests)
       WHERE id = $1 AND worker_id = $2 AND error_code = 'worker_lost' AND late_result IS NULL`,
      [
        id,
        workerId,
        JSON.stringify({ action, error_code, at: new Date().toISOString() }),
        last_seq,
        jsonOf(report.writes),
        jsonOf(report.usage),
        jsonOf(report.requests),
      ],
    );
  }
}

const columnsOf = (endings: Ending[]): unknown[][] => [
  endings.map(({ id }) => id),
  endings.map(({ workerId }) => workerId),
  endings.map(({ action }) => action),
  endings.map(({ output }) => output),
  endings.map(({ error_code }) => error_code),
  endings.map(({ error_stack }) => withoutNul(error_stack)),
  endings.map(({ last_seq }) => last_seq),
  endings.map(({ writes }) => jsonOf(writes)),
  endings.map(({ usage }) => jsonOf(usage)),
  endings.map(({ requests }) => jsonOf(requests)),
];

/** Replaces NUL characters, because PostgreSQL cannot store them in a text. */
const withoutNul = (text: string | null): string | null => text?.replaceAll('\u0000', '\ufffd') ?? null;
