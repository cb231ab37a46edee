import type { Action, FireOutcome, RunErrorCode } from '@trawl/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type List, parseSort } from '../../platform/http/lists/list-query.js';
import { listSqlPage } from '../../platform/http/lists/list-rows.js';
import type { Firing } from './firing.js';
import type { FireHourDto, FiresListQuery } from './schedules.dto.js';

export interface FireRow {
  schedule_id: string;
  fire_at: Date;
  outcome: FireOutcome;
  manual: boolean;
  reason_code: string | null;
  reason: string | null;
  left_out: number;
  execution_id: string | null;
}

/** The current state of a schedule and of the fire about to be written. */
export interface FireState {
  id: string;
  /** Outcome already recorded for this fire. */
  recorded: FireOutcome | null;
  /** Id of a live run of an earlier fire. */
  live: string | null;
  /** Number of queued fires. */
  queued: number;
}

/** A recorded fire with the state of its run. */
export interface RecordedFire extends FireRow {
  id: string;
  action: Action | null;
  error_code: RunErrorCode | null;
  created_at: Date;
  updated_at: Date;
}

export const FIRES_SORTABLE = ['fire_at'];
const COLUMNS = 'f.*, e.action, e.error_code';
const JOINS = 'LEFT JOIN executions e ON e.id = f.execution_id';

export function firesPage<T>(
  dataSource: DataSource,
  scheduleId: string,
  query: FiresListQuery,
  toDto: (row: RecordedFire) => T,
): Promise<List<T>> {
  const list = {
    dataSource,
    table: 'schedule_fires',
    alias: 'f',
    columns: COLUMNS,
    joins: JOINS,
    where: 'f.schedule_id = $1 AND ($2::text IS NULL OR f.outcome = $2)',
    values: [scheduleId, query.outcome ?? null],
  };
  return listSqlPage(list, query, parseSort(query.sort, FIRES_SORTABLE, '-fire_at'), toDto);
}

/** Counts the fires of an account's schedules in each hour after `from`, by outcome and by the state of the runs. */
export const countFiresByHour = (
  dataSource: DataSource,
  ownerId: string,
  scheduleIds: string[],
  from: Date,
  hours: number,
): Promise<FireHourDto[]> =>
  dataSource.query(
    // The condition on `e.id` spares PostgreSQL the partitions of earlier runs: a run is never older than its fire.
    `SELECT f.schedule_id, floor(extract(epoch FROM f.fire_at - $3::timestamptz) / 3600)::int AS hour, f.outcome, e.action,
       count(*)::int AS fires
     FROM schedules s JOIN schedule_fires f ON f.schedule_id = s.id
       LEFT JOIN executions e ON e.id = f.execution_id AND e.id >= first_id_at(greatest($3::timestamptz, 'epoch'))
     WHERE s.owner_id = $1 AND s.id = ANY($2::uuid[])
       AND f.fire_at >= $3::timestamptz AND f.fire_at < $3::timestamptz + make_interval(hours => $4::int)
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
    [ownerId, scheduleIds, from, hours],
  );

export async function findFire(
  manager: EntityManager,
  scheduleId: string,
  fireAt: Date,
): Promise<RecordedFire | undefined> {
  const [row] = await manager.query<RecordedFire[]>(
    `SELECT ${COLUMNS} FROM schedule_fires f ${JOINS} WHERE f.schedule_id = $1 AND f.fire_at = $2`,
    [scheduleId, fireAt],
  );
  return row;
}

/**
 * Reads the state of each schedule. Lock the schedules before, so that they get no new runs in the meantime. Live runs
 * and queues are grouped once for all schedules, because with a subquery for each schedule PostgreSQL may read all live
 * runs each time.
 */
export async function fireStates(manager: EntityManager, firings: Firing[]): Promise<Map<string, FireState>> {
  const rows = await manager.query<FireState[]>(
    `SELECT f.id,
       (SELECT outcome FROM schedule_fires r WHERE r.schedule_id = f.id AND r.fire_at = f.fire_at) AS recorded,
       live.id AS live, COALESCE(queue.length, 0) AS queued
     FROM json_to_recordset($1::json) AS f(id uuid, fire_at timestamptz)
     LEFT JOIN (
       SELECT schedule_id, (array_agg(execution_id ORDER BY execution_id))[1] AS id FROM live_runs
       WHERE schedule_id = ANY($2::uuid[]) GROUP BY schedule_id) live ON live.schedule_id = f.id
     LEFT JOIN (
       SELECT schedule_id, count(*)::int AS length FROM schedule_fires
       WHERE outcome = 'queued' AND schedule_id = ANY($2::uuid[]) GROUP BY schedule_id) queue ON queue.schedule_id = f.id`,
    [
      JSON.stringify(firings.map(({ schedule, fireAt }) => ({ id: schedule.id, fire_at: fireAt }))),
      firings.map(({ schedule }) => schedule.id),
    ],
  );
  return new Map(rows.map(row => [row.id, row]));
}

/** Inserts fires, and replaces the outcome of queued ones. Other recorded fires stay unchanged. */
export async function writeFires(manager: EntityManager, fires: FireRow[]): Promise<void> {
  if (fires.length === 0) return;
  await manager.query(
    `INSERT INTO schedule_fires AS f
       (id, schedule_id, fire_at, outcome, manual, reason_code, reason, left_out, execution_id)
     SELECT * FROM json_to_recordset($1::json) AS f(id uuid, schedule_id uuid, fire_at timestamptz, outcome text,
       manual boolean, reason_code text, reason text, left_out integer, execution_id uuid)
     ON CONFLICT (schedule_id, fire_at) DO UPDATE SET outcome = EXCLUDED.outcome, reason_code = EXCLUDED.reason_code,
       reason = EXCLUDED.reason, execution_id = EXCLUDED.execution_id, updated_at = now()
     WHERE f.outcome = 'queued'`,
    [JSON.stringify(fires.map(fire => ({ id: uuidv7(), ...fire })))],
  );
}

/** Skips the queued fires of a schedule that was disabled. */
export async function skipQueued(manager: EntityManager, id: string): Promise<void> {
  await manager.query(
    `UPDATE schedule_fires SET outcome = 'skipped', reason_code = 'disabled', updated_at = now(),
       reason = 'The schedule was disabled while this fire was queued.'
     WHERE schedule_id = $1 AND outcome = 'queued'`,
    [id],
  );
}

/** Deletes up to `limit` fires of a schedule. Returns how many. */
export async function deleteOldestFires(manager: EntityManager, scheduleId: string, limit: number): Promise<number> {
  const [, deleted] = await manager.query<[unknown, number]>(
    `DELETE FROM schedule_fires WHERE schedule_id = $1 AND fire_at IN
       (SELECT fire_at FROM schedule_fires WHERE schedule_id = $1 ORDER BY fire_at LIMIT ${limit})`,
    [scheduleId],
  );
  return deleted;
}
