import type { FireOutcome } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { Firing } from './firing.js';

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

/** What a schedule has under way. */
export interface FireState {
  id: string;
  /** What this very fire was recorded as. */
  recorded: FireOutcome | null;
  /** A run of an earlier fire that goes on. */
  live: string | null;
  /** How many fires wait for its end. */
  queued: number;
}

/**
 * Locks the schedules that are still as they were when they were looked at.
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

/**
 * To be read once the schedules are locked: what is under way then changes only by ending. Live runs and queues are
 * gathered for all at once: looked up one by one, PostgreSQL may read every live run for each.
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

/** Before any account is locked by a quota, as everything that locks both does. */
export async function lockSkripts(manager: EntityManager, firings: Firing[]): Promise<void> {
  const ids = new Set(firings.flatMap(({ start }) => start?.skript.id ?? []));
  await manager.query('SELECT 1 FROM skripts WHERE id = ANY($1::uuid[]) ORDER BY id FOR KEY SHARE', [[...ids]]);
}

/** A fire that waited in the queue becomes what it is now; missed ones that are known already stay as they are. */
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

/** Says when the schedules are due next, and counts those that made a run. */
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
