import { Injectable } from '@nestjs/common';
import type { Action, Command, RowContract, WaitingReason } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { preparedQuery } from '../../../platform/common/sql/prepared-query.js';
import { IN_MAINTENANCE } from '../../../platform/maintenance/in-maintenance.js';
import type { WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { mayUseWorker } from '../../workers/worker-access.js';
import { IS_CONNECTED } from '../../workers/worker-status.js';
import type { StoredAnswer } from '../answers/answers.repository.js';
import { COLUMNS, type ExecutionRow, JOINS, VERDICT } from '../records/execution-rows.js';
import { LARGE_FIELDS } from '../records/executions.dto.js';
import type { OfferedRun } from './offered-run.js';

/** SQL: whether the owner of `live_runs r` may run skripts on a worker without the full sandbox. */
const MAY_RUN_BELOW_FULL = `EXISTS (SELECT 1 FROM users u WHERE u.id = r.owner_id AND u.built_in)`;

/** SQL: whether `live_runs r` waits for a worker and may begin now. */
const IS_DUE = `r.boot_id IS NULL AND r.builder IS NULL AND (r.run_after IS NULL OR r.run_after <= now())`;

/** SQL: whether `executions e` has ended and is one of the runs `$2`. */
const IS_COMPLETE = `e.id = ANY($2::uuid[]) AND e.action NOT IN ('start', 'pause')`;

const LARGE_OF_COMPLETE = LARGE_FIELDS.map(name => `CASE WHEN ${IS_COMPLETE} THEN e.${name} END AS ${name}`).join(', ');

/** SQL: whether worker `$1` still holds its lease with boot `$2` and epoch `$3`. */
const HOLDS_LEASE = `EXISTS (SELECT 1 FROM worker_leases WHERE worker_id = $1 AND boot_id = $2 AND epoch = $3)`;

/**
 * SQL: the waiting runs that worker `$1` may take, each with its `turn`. An account has at most `$5` of them, and at
 * most `$8` together with its runs on the worker. The turn is the number of runs that the account would have on workers
 * with this run, so the lowest turn belongs to the account with the fewest. Accounts may have many waiting runs, so
 * `owners` reads one index entry for each account, and the order of `waiting` is the index's: with `execution_id` alone,
 * PostgreSQL searches the runs of all accounts.
 * See docs/decisions/0357-slots-follow-memory.md.
 */
const TURNS = `WITH RECURSIVE owners AS (
    (SELECT owner_id FROM live_runs WHERE boot_id IS NULL ORDER BY owner_id LIMIT 1)
    UNION ALL
    SELECT (SELECT r.owner_id FROM live_runs r WHERE r.boot_id IS NULL AND r.owner_id > owners.owner_id
      ORDER BY r.owner_id LIMIT 1)
    FROM owners WHERE owners.owner_id IS NOT NULL)
  SELECT waiting.execution_id,
    running.runs + row_number() OVER (PARTITION BY o.owner_id ORDER BY waiting.execution_id) AS turn
  FROM owners o
    CROSS JOIN LATERAL (
      SELECT count(*) AS runs, count(*) FILTER (WHERE l.worker_id = $1) AS here
      FROM live_runs l WHERE l.owner_id = o.owner_id AND l.boot_id IS NOT NULL) running
    CROSS JOIN LATERAL (
      SELECT r.execution_id FROM live_runs r
      WHERE r.owner_id = o.owner_id AND ${IS_DUE} AND r.environment = ANY($4) AND (r.want IS NULL OR r.want = 'resume')
        AND (r.worker_id = $1 OR r.worker_id IS NULL) AND ($6 OR ${MAY_RUN_BELOW_FULL})
      ORDER BY r.owner_id, r.boot_id, r.execution_id LIMIT least($5, greatest(0, $8 - running.here))) waiting
  WHERE ${mayUseWorker('$1', 'o.owner_id')}`;

/**
 * Writes a command (stop, pause or resume) for every matching live run. Reconciliation sends it until the worker has
 * acknowledged it. For a run without a worker, pause and resume take effect at once. The id of any attempt also selects
 * all other attempts of the same run. After a stop, no other command is written.
 */
const COMMAND = `WITH commanded AS (
    UPDATE live_runs r SET want = $7, cmd_seq = cmd_seq + 1,
      cmd_done = CASE WHEN r.boot_id IS NULL AND $7 <> 'stop' THEN cmd_seq + 1 ELSE cmd_done END
    FROM executions e
    WHERE e.id = r.execution_id AND r.owner_id = $1
      AND ($2::uuid IS NULL OR r.execution_id = $2 OR e.retry_of = $2
        OR e.retry_of = (SELECT named.retry_of FROM executions named WHERE named.id = $2))
      AND ($3::uuid IS NULL OR e.skript_id = $3) AND ($4::uuid IS NULL OR r.worker_id = $4) AND ($5::uuid IS NULL OR e.input_id = $5)
      AND ($6::uuid IS NULL OR e.input_secret_id = $6)
      AND ($7 = 'stop' OR r.want IS DISTINCT FROM 'stop')
    RETURNING r.execution_id, r.worker_id, r.boot_id, r.cmd_seq),
  unoffered AS (
    UPDATE executions e SET action = CASE WHEN $7 = 'pause' THEN 'pause' ELSE 'start' END, updated_at = now()
    FROM commanded WHERE e.id = commanded.execution_id AND commanded.boot_id IS NULL AND $7 <> 'stop')
  SELECT commanded.*, EXISTS (
    SELECT FROM worker_leases l WHERE l.worker_id = commanded.worker_id AND ${IS_CONNECTED}) AS is_connected
  FROM commanded`;

export interface RunFilter {
  executionId: string | null;
  skriptId: string | null;
  workerId: string | null;
  inputId: string | null;
  inputSecretId: string | null;
}

export interface CommandedRow {
  execution_id: string;
  worker_id: string | null;
  boot_id: string | null;
  cmd_seq: number;
  /** Whether a backend has the connection of the run's worker. */
  is_connected: boolean;
}

export interface OfferRow extends OfferedRun {
  payload: Buffer;
  /** Id of the first attempt. The payload was encrypted for this id. */
  sealed_for: string;
  /** Whether the owner's runs may go to a worker without the full sandbox. */
  below_full: boolean;
}

export interface CommittedRow {
  execution_id: string;
  worker_id: string;
  boot_id: string;
  want: Command | null;
  cmd_seq: number;
  cmd_done: number;
  /** Answers that wait for the worker, by key. */
  answers: Record<string, StoredAnswer> | null;
}

/** `firstId` is the id of the run's first attempt, `attempt` the number of this one. */
export interface OwnedRun {
  ownerId: string;
  firstId: string;
  attempt: number;
  /** The contract of its skript when the run used storage for the first time. */
  contract: RowContract | null;
  skriptId: string;
  /** The recorded run, if the run is a replay; else null. */
  replayOf: string | null;
  isRecorded: boolean;
}

export type AcknowledgedRow = Pick<ExecutionRow, 'action' | 'waiting_reason' | 'waiting_since' | 'run_after'> & {
  owner_id: string;
  updated_at: Date;
};

export type StateRow = ExecutionRow & { owner_id: string };

export interface ReportedRow {
  id: string;
  owner_id: string;
  action: Action;
  now: Date;
}

/** Why a run waits on its worker. */
export interface ReportedWait {
  reason: WaitingReason;
  queue?: { place: number; of: number } | undefined;
}

/**
 * SQL statements on `live_runs` between the start and the end of a run. The statements that insert a run are in `start/`,
 * those that end a run are in `end/`.
 */
@Injectable()
export class LiveRunsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Assigns up to `limit` waiting runs, and to each account at most `perAccount` slots, to this boot of the worker: first those of the account with the fewest runs on
   * workers, and of each account the oldest. Assigns none if the worker's lease or key has changed, and during a
   * maintenance.
   */
  claim(link: WorkerLink, limit: number, perAccount: number): Promise<{ execution_id: string; owner_id: string }[]> {
    return preparedQuery(
      this.dataSource,
      'runs for a worker',
      `WITH taken AS (
         UPDATE live_runs SET worker_id = $1, boot_id = $2, epoch = $3, waiting_reason = NULL, waiting_since = NULL
         WHERE EXISTS (SELECT 1 FROM worker_leases l JOIN workers w ON w.id = l.worker_id AND w.key_hash = $7
             WHERE l.worker_id = $1 AND l.boot_id = $2 AND l.epoch = $3 AND l.lease_until > now())
           AND NOT ${IN_MAINTENANCE} AND execution_id IN (
             SELECT r.execution_id FROM live_runs r JOIN (${TURNS}) turns USING (execution_id)
             WHERE r.boot_id IS NULL ORDER BY turns.turn, r.execution_id LIMIT $5 FOR UPDATE OF r SKIP LOCKED)
         RETURNING execution_id, owner_id),
       named AS (
         UPDATE executions e SET worker_id = w.id, worker_name = w.name, started_at = now() FROM taken, workers w
         WHERE e.id = taken.execution_id AND w.id = $1)
       SELECT * FROM taken`,
      [
        link.workerId,
        link.bootId,
        link.epoch,
        link.environments,
        limit,
        link.sandbox === 'full',
        link.keyHash,
        perAccount,
      ],
    );
  }

  /**
   * Reads what to offer for these runs, which must be committed to this boot of the worker. Returns nothing if the
   * worker's key was replaced.
   */
  offersFor(link: WorkerLink, ids: string[]): Promise<OfferRow[]> {
    return preparedQuery<OfferRow>(
      this.dataSource,
      'offers to a worker',
      `SELECT r.execution_id, r.owner_id, COALESCE(s.warm, false) AS warm, COALESCE(s.keep_exchanges, false) AS keep_exchanges, COALESCE(s.polite, false) AS polite, s.proxy, s.rows->'key' AS row_key, e.retry_of, e.skript_id, e.skript_name, r.environment,
         e.bundle_hash, b.lock_hash, r.time_limit_ms, r.payload,
         COALESCE(r.sealed_for, r.execution_id) AS sealed_for, r.retries_left, r.waiting_reason,
         ${MAY_RUN_BELOW_FULL} AS below_full
       FROM live_runs r JOIN executions e ON e.id = r.execution_id LEFT JOIN skripts s ON s.id = e.skript_id
         LEFT JOIN bundles b ON b.hash = e.bundle_hash
         JOIN workers w ON w.id = r.worker_id AND w.key_hash = $4
       WHERE r.execution_id = ANY($1::uuid[]) AND r.worker_id = $2 AND r.boot_id = $3 ORDER BY r.execution_id`,
      [ids, link.workerId, link.bootId, link.keyHash],
    );
  }

  /**
   * Returns an SQL expression: whether there are runs that these workers have or may take.
   * @param workerIds placeholder of the ids of workers.
   * @param hasRuns placeholder of whether this process knows of such a run, which may have ended.
   */
  readonly findRunsOf = (workerIds = '', hasRuns = ''): string =>
    `${hasRuns}::boolean OR EXISTS (SELECT FROM live_runs r WHERE r.worker_id = ANY(${workerIds}::uuid[]))
       OR cardinality(${workerIds}::uuid[]) > 0 AND EXISTS (SELECT FROM live_runs r WHERE r.worker_id IS NULL AND ${IS_DUE})`;

  /** Runs committed to any boot of the workers that still hold their leases. */
  committedTo(links: WorkerLink[]): Promise<CommittedRow[]> {
    return preparedQuery<CommittedRow>(
      this.dataSource,
      'runs of workers',
      `SELECT r.execution_id, r.worker_id, r.boot_id, r.want, r.cmd_seq, r.cmd_done, r.answers
       FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS link(worker_id, boot_id, epoch)
         JOIN worker_leases USING (worker_id, boot_id, epoch) JOIN live_runs r ON r.worker_id = link.worker_id
       WHERE r.boot_id IS NOT NULL`,
      [links.map(link => link.workerId), links.map(link => link.bootId), links.map(link => link.epoch)],
    );
  }

  /**
   * Returns which of the workers a waiting run may go to now: those that one is requested for, or all if one waits for
   * any worker. One query for all workers, because idle workers would otherwise each send one.
   */
  async workersWithWaiting(links: WorkerLink[]): Promise<Set<string>> {
    const rows = await preparedQuery<{ worker_id: string }>(
      this.dataSource,
      'workers with waiting runs',
      `SELECT link.worker_id FROM unnest($1::uuid[]) AS link(worker_id)
       WHERE EXISTS (SELECT 1 FROM live_runs r WHERE r.worker_id = link.worker_id AND ${IS_DUE})
         OR EXISTS (SELECT 1 FROM live_runs r WHERE r.worker_id IS NULL AND ${IS_DUE})`,
      [links.map(link => link.workerId)],
    );
    return new Set(rows.map(row => row.worker_id));
  }

  /** Returns the ids of runs that were requested for this worker, are waiting, and need the full sandbox. */
  async waitingForFullSandbox(link: WorkerLink): Promise<string[]> {
    const rows = await this.dataSource.query<{ execution_id: string }[]>(
      `SELECT r.execution_id FROM live_runs r
       WHERE r.worker_id = $1 AND r.boot_id IS NULL AND NOT ${MAY_RUN_BELOW_FULL} AND ${HOLDS_LEASE}`,
      [link.workerId, link.bootId, link.epoch],
    );
    return rows.map(row => row.execution_id);
  }

  command(ownerId: string, runs: RunFilter, cmd: Command): Promise<CommandedRow[]> {
    return this.dataSource.query<CommandedRow[]>(COMMAND, [
      ownerId,
      runs.executionId,
      runs.skriptId,
      runs.workerId,
      runs.inputId,
      runs.inputSecretId,
      cmd,
    ]);
  }

  /**
   * Records that the worker has carried out or refused a command. Returns no row if a later command has replaced this
   * one.
   */
  async acknowledgeCommand(
    id: string,
    cmdSeq: number,
    { action, refusal }: { action: 'pause' | 'start'; refusal: string | null },
  ): Promise<AcknowledgedRow[]> {
    const [rows] = await this.dataSource.query<[AcknowledgedRow[], number]>(
      `WITH done AS (
         UPDATE live_runs SET cmd_done = $2, want = CASE WHEN $4::text IS NULL THEN want END, refusal = $4
         WHERE execution_id = $1 AND cmd_seq = $2 AND cmd_done < $2 RETURNING *)
       UPDATE executions e SET action = $3, updated_at = now() FROM done WHERE e.id = done.execution_id
       RETURNING e.owner_id, e.action, done.waiting_reason, done.waiting_since, done.run_after, e.updated_at`,
      [id, cmdSeq, action, refusal],
    );
    return rows;
  }

  /**
   * Sets the waiting reason of runs on this boot of the worker. Ignores runs of another boot, and reports over a
   * connection that a newer one has replaced.
   * @param condition SQL on `live_runs`; `$4` is the reason.
   */
  setWaitingReason(
    link: WorkerLink,
    ids: string[],
    wait: ReportedWait | null,
    condition: string,
  ): Promise<(ReportedRow & { waiting_since: Date | null })[]> {
    return this.dataSource.query(
      `WITH reported AS (
         UPDATE live_runs SET waiting_reason = $4::text, waiting_place = $6, waiting_of = $7,
           waiting_since = CASE WHEN $4::text IS NULL THEN NULL WHEN waiting_reason = $4 THEN waiting_since ELSE now() END
         WHERE execution_id = ANY($1::uuid[]) AND worker_id = $2 AND boot_id = $3 AND epoch <= $5 AND ${condition}
         RETURNING execution_id, waiting_since)
       SELECT e.id, e.owner_id, e.action, reported.waiting_since, now() AS now FROM reported JOIN executions e ON e.id = reported.execution_id`,
      [
        ids,
        link.workerId,
        link.bootId,
        wait?.reason ?? null,
        link.epoch,
        wait?.queue?.place ?? null,
        wait?.queue?.of ?? null,
      ],
    );
  }

  /**
   * Puts a run that the worker refused back into the queue. If the run was requested for `any`, another worker may then
   * take it. If a pause was requested, the run is paused now.
   */
  async requeue(link: WorkerLink, id: string, reason: WaitingReason): Promise<ReportedRow[]> {
    const [rows] = await this.dataSource.query<[ReportedRow[], number]>(
      `WITH back AS (
         UPDATE live_runs SET boot_id = NULL, epoch = NULL, waiting_reason = $3, waiting_since = now(),
           worker_id = CASE WHEN on_any THEN NULL ELSE worker_id END, cmd_done = cmd_seq
         WHERE execution_id = $1 AND boot_id = $2 RETURNING execution_id, want)
       UPDATE executions e SET started_at = NULL, action = CASE WHEN back.want = 'pause' THEN 'pause' ELSE e.action END
       FROM back WHERE e.id = back.execution_id RETURNING e.id, e.owner_id, e.action, now() AS now`,
      [id, link.bootId, reason],
    );
    return rows;
  }

  /**
   * Reads these runs, live or ended. Only the ended ones in `complete` have the columns that may be large.
   */
  statesOf(ids: string[], complete: string[]): Promise<StateRow[]> {
    return preparedQuery<StateRow>(
      this.dataSource,
      'states of runs',
      `SELECT ${COLUMNS}, ${VERDICT}, e.owner_id, ${LARGE_OF_COMPLETE}
       FROM executions e ${JOINS} WHERE e.id = ANY($1::uuid[])`,
      [ids, complete],
    );
  }

  /** Returns why the worker refused a command; null if it did not refuse it, or if a later command has replaced it. */
  async refusalOf({ execution_id: id, cmd_seq }: CommandedRow): Promise<string | null> {
    const [row] = await this.dataSource.query<{ refusal: string | null }[]>(
      `SELECT refusal FROM live_runs WHERE execution_id = $1 AND cmd_done = $2 AND cmd_seq = $2 AND want IS NULL`,
      [id, cmd_seq],
    );
    return row?.refusal ?? null;
  }

  /** Returns the owner of a run on this boot of the worker; undefined if this boot does not have the run. */
  async ownerOf(link: WorkerLink, id: string): Promise<OwnedRun | undefined> {
    const [row] = await this.dataSource.query<OwnedRun[]>(
      `SELECT r.owner_id AS "ownerId", COALESCE(e.retry_of, e.id) AS "firstId", e.attempt, s.rows AS contract,
         e.skript_id AS "skriptId", e.replay_of AS "replayOf", e.record IS NOT NULL AS "isRecorded"
       FROM live_runs r JOIN executions e ON e.id = r.execution_id LEFT JOIN skripts s ON s.id = e.skript_id
       WHERE r.execution_id = $1 AND r.worker_id = $2 AND r.boot_id = $3`,
      [id, link.workerId, link.bootId],
    );
    return row;
  }

  /** Whether a run on the worker needs the bundle or lock with this hash. */
  async isNeededBy(workerId: string, kind: 'bundle' | 'lock', hash: string): Promise<boolean> {
    const column = kind === 'bundle' ? 'e.bundle_hash' : 'b.lock_hash';
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM live_runs r JOIN executions e ON e.id = r.execution_id LEFT JOIN bundles b ON b.hash = e.bundle_hash
       WHERE r.worker_id = $1 AND r.boot_id IS NOT NULL AND ${column} = $2 LIMIT 1`,
      [workerId, hash],
    );
    return rows.length > 0;
  }
}

/** Whether an account has a run that has not ended. */
export async function hasLiveRun(manager: EntityManager, ownerId: string): Promise<boolean> {
  const [live] = await manager.query<unknown[]>('SELECT 1 FROM live_runs WHERE owner_id = $1 LIMIT 1', [ownerId]);
  return live !== undefined;
}
