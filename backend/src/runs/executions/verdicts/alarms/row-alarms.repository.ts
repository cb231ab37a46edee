import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { IN_MAINTENANCE } from '../../../../platform/maintenance/in-maintenance.js';

/** SQL: whether to look for alarms: some are due, or no backend has looked for a minute. */
export const ASKS_FOR_LOOK = `NOT ${IN_MAINTENANCE} AND (EXISTS (SELECT FROM row_alarms WHERE due_at <= now())
  OR EXISTS (SELECT FROM alarms_looked_for WHERE at < now() - interval '1 minute'))`;

/** The skript and input whose rows an alarm is about. */
export interface AlarmKey {
  skript_id: string;
  input_key: string;
}

export interface DueAlarm extends AlarmKey {
  kind: 'broken' | 'fresh';
  /** Null if it has not been told. */
  told_at: Date | null;
  /** Number of broken runs since it was told. */
  runs: number;
  /** The data of its last event. */
  data: object | null;
  owner_id: string;
  skript_name: string;
  /** The figure of its contract now. */
  fresh_hours: number | null;
}

/** Statements of the table `row_alarms`. */
@Injectable()
export class RowAlarmsRepository {
  /** Notes broken runs. Returns those of the given keys whose alarm began now. */
  async addBroken(manager: EntityManager, broken: (AlarmKey & { runs: number; data: object })[]): Promise<AlarmKey[]> {
    const sorted = [...broken].sort(byKey);
    const rows = await manager.query<(AlarmKey & { is_new: boolean })[]>(
      `INSERT INTO row_alarms AS a (skript_id, kind, input_key, due_at, told_at, runs, data)
       SELECT n.skript_id, 'broken', n.input_key, now() + interval '1 day', now(), n.runs - 1, n.data::json
       FROM unnest($1::uuid[], $2::text[], $3::int[], $4::text[]) AS n(skript_id, input_key, runs, data)
       WHERE EXISTS (SELECT FROM skripts s WHERE s.id = n.skript_id)
       ON CONFLICT (skript_id, kind, input_key) DO UPDATE SET runs = a.runs + EXCLUDED.runs + 1, data = EXCLUDED.data
       RETURNING skript_id, input_key, xmax = 0 AS is_new`,
      [...keysOf(sorted), sorted.map(({ runs }) => runs), sorted.map(({ data }) => JSON.stringify(data))],
    );
    return rows.filter(({ is_new }) => is_new);
  }

  /** Ends the alarms about broken rows of these keys. Returns those that there were. */
  async endBroken(manager: EntityManager, right: AlarmKey[]): Promise<AlarmKey[]> {
    const [rows] = await manager.query<[AlarmKey[], number]>(
      `DELETE FROM row_alarms a USING unnest($1::uuid[], $2::text[]) AS r(skript_id, input_key)
       WHERE a.skript_id = r.skript_id AND a.input_key = r.input_key AND a.kind = 'broken'
       RETURNING a.skript_id, a.input_key`,
      keysOf([...right].sort(byKey)),
    );
    return rows;
  }

  /**
   * Notes that good runs of skripts ended. One that ended too long ago, or before another good run, changes nothing.
   * @param endedAt null for now
   * @returns the skripts whose lack of a good run had been told
   */
  async refresh(manager: EntityManager, skriptIds: string[], endedAt: Date | null = null): Promise<string[]> {
    const [rows] = await manager.query<[{ skript_id: string; was_told: boolean }[], number]>(
      `UPDATE row_alarms a SET told_at = NULL, due_at = GREATEST(n.due_at, CASE WHEN a.told_at IS NULL THEN a.due_at END)
       FROM (SELECT skript_id, told_at FROM row_alarms WHERE skript_id = ANY($1::uuid[]) AND kind = 'fresh'
         ORDER BY skript_id FOR UPDATE) AS b,
         (SELECT id, COALESCE($2::timestamptz, now()) + (rows->>'fresh_hours')::int * interval '1 hour' AS due_at FROM skripts) AS n
       WHERE a.skript_id = b.skript_id AND a.kind = 'fresh' AND n.id = a.skript_id AND n.due_at > now()
       RETURNING a.skript_id, b.told_at IS NOT NULL AS was_told`,
      [skriptIds, endedAt],
    );
    return rows.filter(({ was_told }) => was_told).map(({ skript_id }) => skript_id);
  }

  /**
   * Notes that a backend looks for alarms now. If none has looked for some minutes, the platform was down or in maintenance: that
   * time does not count for rows that are too old, and each skript gets at least an hour. Does nothing during a maintenance.
   */
  async noteLook(manager: Pick<EntityManager, 'query'>): Promise<void> {
    await manager.query(
      `WITH last AS (SELECT at FROM alarms_looked_for WHERE NOT ${IN_MAINTENANCE} FOR UPDATE),
         postponed AS (
           UPDATE row_alarms a SET due_at = GREATEST(a.due_at + (now() - b.at), now() + interval '1 hour')
           FROM (SELECT skript_id, kind, input_key, last.at FROM row_alarms, last
             WHERE kind = 'fresh' AND told_at IS NULL AND now() - last.at > interval '5 minutes'
             ORDER BY skript_id FOR UPDATE OF row_alarms) AS b
           WHERE (a.skript_id, a.kind, a.input_key) = (b.skript_id, b.kind, b.input_key))
       UPDATE alarms_looked_for SET at = now() FROM last`,
    );
  }

  /** Takes alarms that are due, so that each is due again in a day. Other backends take others. */
  async takeDue(manager: EntityManager, limit: number): Promise<DueAlarm[]> {
    const [rows] = await manager.query<[DueAlarm[], number]>(
      `WITH due AS (
         SELECT skript_id, kind, input_key, told_at, runs FROM row_alarms WHERE due_at <= now()
         ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       UPDATE row_alarms a SET due_at = now() + interval '1 day', told_at = COALESCE(a.told_at, now()), runs = 0
       FROM due d, skripts s
       WHERE (a.skript_id, a.kind, a.input_key) = (d.skript_id, d.kind, d.input_key) AND s.id = a.skript_id
       RETURNING a.skript_id, a.kind, a.input_key, d.told_at, d.runs, a.data, s.owner_id, s.title AS skript_name,
         (s.rows->>'fresh_hours')::int AS fresh_hours`,
      [limit],
    );
    return rows;
  }
}

const keysOf = (keys: AlarmKey[]): string[][] => [
  keys.map(({ skript_id }) => skript_id),
  keys.map(({ input_key }) => input_key),
];

const textOf = ({ skript_id, input_key }: AlarmKey): string => `${skript_id} ${input_key}`;
/** All backends lock alarms in the same order. */
const byKey = (one: AlarmKey, other: AlarmKey): number => (textOf(one) < textOf(other) ? -1 : 1);
