import type { EntityManager } from 'typeorm';
import { IN_MAINTENANCE } from '../../platform/maintenance/in-maintenance.js';
import { mayUseWorker } from '../workers/worker-access.js';
import type { FireResult, Firing, FiringSchedule } from './firing.js';
import type { Schedule } from './schedule.entity.js';
import type { FiredExecutionDto } from './schedules.dto.js';

const COLUMNS = `s.id, s.owner_id, u.disabled_at IS NULL AS owner_active, s.cron_span, s.time_zone, s.worker_id,
  s.skript_id, s.input_id, s.input_secret_id, s.overlap, s.catch_up, s.retries, s.retry_delay_ms, s.next_fire_at,
  s.next_fire_at::text AS next_fire_text, s.updated_at::text AS version,
  date_trunc('milliseconds', clock_timestamp()) AS now`;

/** Names of a schedule, its skript and its worker, and its latest run. */
export interface Names {
  id: string;
  name: string;
  skript_name: string;
  worker_name: string | null;
  last_run: FiredExecutionDto | null;
}

/** Reads the time from PostgreSQL's clock, so that all backends agree on which fires are due. */
export async function databaseNow(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<{ now: Date }[]>('SELECT now() AS now');
  return row?.now as Date;
}

/** SQL on `schedules s`: whether it is due. During a maintenance none is. */
const IS_DUE = `s.enabled AND s.next_fire_at <= now() AND NOT ${IN_MAINTENANCE}`;

/** SQL: the time of the first queued fire of each schedule. */
const QUEUED = `SELECT schedule_id, min(fire_at) AS queued_at FROM schedule_fires WHERE outcome = 'queued' GROUP BY schedule_id`;

/** SQL on `schedules s` with queued fires: whether one of them may start now. */
const IS_DEQUEUABLE = `NOT ${IN_MAINTENANCE} AND NOT EXISTS (SELECT 1 FROM live_runs r WHERE r.schedule_id = s.id)`;

/**
 * Returns an SQL expression: whether any schedule is due or may start a queued fire.
 * @param exceptIds placeholder of the ids of schedules that do not count.
 */
export const findAnyDue = (exceptIds = ''): string =>
  `EXISTS (SELECT FROM schedules s WHERE ${IS_DUE} AND s.id <> ALL(${exceptIds}::uuid[]))
   OR EXISTS (SELECT FROM (${QUEUED}) q JOIN schedules s ON s.id = q.schedule_id
     WHERE ${IS_DEQUEUABLE} AND s.id <> ALL(${exceptIds}::uuid[]))`;

/** Finds the due schedules, except those in `exceptIds`. During a maintenance none is due. */
export function findDueSchedules(
  manager: EntityManager,
  exceptIds: string[],
  limit: number,
): Promise<FiringSchedule[]> {
  return manager.query<FiringSchedule[]>(
    `SELECT ${COLUMNS} FROM schedules s JOIN users u ON u.id = s.owner_id
     WHERE ${IS_DUE} AND s.id <> ALL($1::uuid[])
     ORDER BY s.next_fire_at LIMIT ${limit}`,
    [exceptIds],
  );
}

/** Finds the schedules with a queued fire and no live run, except those in `exceptIds`. */
export function findDequeuable(
  manager: EntityManager,
  exceptIds: string[],
  limit: number,
): Promise<(FiringSchedule & { queued_at: Date })[]> {
  return manager.query<(FiringSchedule & { queued_at: Date })[]>(
    `SELECT ${COLUMNS}, q.queued_at FROM (${QUEUED}) q
     JOIN schedules s ON s.id = q.schedule_id JOIN users u ON u.id = s.owner_id
     WHERE s.id <> ALL($1::uuid[]) AND ${IS_DEQUEUABLE}
     LIMIT ${limit}`,
    [exceptIds],
  );
}

export async function findSchedule(
  manager: EntityManager,
  ownerId: string,
  id: string,
): Promise<FiringSchedule | undefined> {
  const [schedule] = await manager.query<FiringSchedule[]>(
    `SELECT ${COLUMNS} FROM schedules s JOIN users u ON u.id = s.owner_id WHERE s.id = $1 AND s.owner_id = $2`,
    [id, ownerId],
  );
  return schedule;
}

export async function findNames(manager: EntityManager, ids: string[]): Promise<Names[]> {
  return manager.query<Names[]>(
    `SELECT s.id, s.name, k.title AS skript_name, w.name AS worker_name,
       (SELECT json_build_object('id', e.id, 'action', e.action, 'error_code', e.error_code)
        FROM executions e WHERE e.schedule_id = s.id ORDER BY e.id DESC LIMIT 1) AS last_run
     FROM schedules s JOIN skripts k ON k.id = s.skript_id LEFT JOIN workers w ON w.id = s.worker_id
     WHERE s.id = ANY($1::uuid[])`,
    [ids],
  );
}

export interface Usable {
  skript: boolean;
  input: boolean;
  secret: boolean;
  worker: boolean;
}

/** Finds out whether the owner may use the skript, values and worker of a schedule. */
export async function findUsable(manager: EntityManager, row: Schedule): Promise<Usable> {
  const [usable] = await manager.query<Usable[]>(
    `SELECT EXISTS (SELECT 1 FROM skripts WHERE id = $2 AND owner_id = $1) AS skript,
       ($3::uuid IS NULL OR EXISTS (SELECT 1 FROM inputs WHERE id = $3 AND skript_id = $2)) AS input,
       ($4::uuid IS NULL OR EXISTS (SELECT 1 FROM input_secrets WHERE id = $4 AND skript_id = $2)) AS secret,
       ($5::uuid IS NULL OR ${mayUseWorker('$5', '$1::uuid')}) AS worker`,
    [row.owner_id, row.skript_id, row.input_id, row.input_secret_id, row.worker_id],
  );
  return usable as Usable;
}

/** A schedule with a problem, and what a notification about it says. */
export interface ProblemRow {
  owner_id: string;
  schedule: { id: string; name: string };
  skript: { id: string; name: string };
  worker: { id: string; name: string } | null;
  problem_code: string;
  problem: string;
  is_told: boolean;
}

/**
 * Locks the schedules that have not changed since they were read.
 * @returns their ids.
 */
export async function lockSchedules(
  manager: EntityManager,
  firings: Firing[],
  whenLocked: 'wait' | 'skip',
): Promise<Set<string>> {
  const rows = await manager.query<{ id: string }[]>(
    `SELECT s.id FROM json_to_recordset($1::json) AS f(id uuid, due boolean, next_fire text, version text)
       JOIN schedules s ON s.id = f.id
     WHERE NOT f.due OR (s.enabled AND s.next_fire_at::text = f.next_fire AND s.updated_at::text = f.version)
     ORDER BY s.id FOR NO KEY UPDATE OF s ${whenLocked === 'skip' ? 'SKIP LOCKED' : ''}`,
    [
      JSON.stringify(
        firings.map(({ schedule, kind }) => ({
          id: schedule.id,
          due: kind === 'due',
          next_fire: schedule.next_fire_text,
          version: schedule.version,
        })),
      ),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Disables all schedules of a user. The caller must have locked them. */
export async function disableSchedulesOf(manager: EntityManager, ownerId: string): Promise<void> {
  await manager.query('UPDATE schedules SET enabled = false WHERE owner_id = $1', [ownerId]);
}

/** Saves when each schedule is due next, and counts the runs that were started. */
export async function advanceSchedules(
  manager: EntityManager,
  firings: Firing[],
  hasFired: (firing: Firing) => boolean,
): Promise<void> {
  await manager.query(
    `UPDATE schedules s SET next_fire_at = CASE WHEN f.due THEN f.next ELSE s.next_fire_at END,
       counter = s.counter + f.fired::int,
       triggered = CASE WHEN f.fired THEN (clock_timestamp() || s.triggered)[1:10] ELSE s.triggered END
     FROM json_to_recordset($1::json) AS f(id uuid, due boolean, next timestamptz, fired boolean) WHERE s.id = f.id`,
    [
      JSON.stringify(
        firings.map(firing => ({
          id: firing.schedule.id,
          due: firing.due !== null,
          next: firing.due?.next ?? null,
          fired: hasFired(firing),
        })),
      ),
    ],
  );
}

/**
 * Saves which schedules have a problem, and clears the problems that are over. Returns the changed schedules;
 * `is_told` is true at most once a day for each schedule.
 */
export async function recordProblems(manager: EntityManager, results: FireResult[]): Promise<ProblemRow[]> {
  const [rows] = await manager.query<[ProblemRow[], number]>(
    `UPDATE schedules s SET problem_code = f.code, problem = f.message,
       problem_since = CASE WHEN f.code IS NOT NULL THEN COALESCE(s.problem_since, now()) END,
       problem_told_at = CASE WHEN f.code IS NULL OR s.problem_told_at > now() - interval '1 day' THEN s.problem_told_at
         ELSE now() END
     FROM json_to_recordset($1::json) AS f(id uuid, code text, message text)
     WHERE s.id = f.id AND (f.code IS NOT NULL OR s.problem_code IS NOT NULL)
     RETURNING s.owner_id, s.problem_code, s.problem, s.problem_told_at = now() AND s.problem IS NOT NULL AS is_told,
       json_build_object('id', s.id, 'name', s.name) AS schedule,
       (SELECT json_build_object('id', k.id, 'name', k.title) FROM skripts k WHERE k.id = s.skript_id) AS skript,
       (SELECT json_build_object('id', w.id, 'name', w.name) FROM workers w WHERE w.id = s.worker_id) AS worker`,
    [
      JSON.stringify(
        results.map(({ scheduleId: id, problem }) => ({ id, code: problem?.code, message: problem?.message })),
      ),
    ],
  );
  return rows;
}
