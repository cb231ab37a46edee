import { Injectable } from '@nestjs/common';
import { ACTIONS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { STORED_ROWS } from '../executions/records/other-rows-sql.js';
import type { RunHourDto } from './run-series.dto.js';

/** Only the newest runs are counted, because counting more is slow. */
const MAX_COUNTED_RUNS = 50_000;

/**
 * Returns SQL for the runs of the last `$1` hours, by the hour of their creation. `ownerCondition` is an SQL condition
 * with `AND` at its end, or an empty text for the runs of all accounts. If there are more runs than are counted, the
 * hours begin with the first one of which all runs are counted.
 */
const hoursOf = (ownerCondition: string): string => `WITH span AS (
    SELECT date_trunc('hour', now()) - ($1::int - 1) * interval '1 hour' AS begins),
  counted AS (
    SELECT date_trunc('hour', created_at) AS hour, action, started_at - created_at AS wait, ${STORED_ROWS} AS stored
    FROM executions e WHERE ${ownerCondition} id >= first_id_at((SELECT begins FROM span))
    ORDER BY id DESC LIMIT ${MAX_COUNTED_RUNS}),
  complete AS (
    SELECT CASE WHEN count(*) = ${MAX_COUNTED_RUNS} THEN least(min(hour) + interval '1 hour', date_trunc('hour', now()))
      ELSE (SELECT begins FROM span) END AS begins FROM counted),
  hours AS (SELECT generate_series(begins, date_trunc('hour', now()), interval '1 hour') AS hour FROM complete)
  SELECT iso_time(hour) AS hour,
    ${ACTIONS.map(action => `count(*) FILTER (WHERE action = '${action}')::int AS "${action}"`).join(', ')},
    coalesce(sum(stored), 0)::float AS rows,
    round(extract(epoch FROM percentile_cont(0.5) WITHIN GROUP (ORDER BY wait)) * 1000)::float AS wait_ms_median,
    round(extract(epoch FROM max(wait)) * 1000)::float AS wait_ms_max
  FROM hours LEFT JOIN counted USING (hour) GROUP BY hour ORDER BY hour`;

/** Counts runs by the hour. */
@Injectable()
export class RunSeriesRepository {
  constructor(private readonly dataSource: DataSource) {}

  ofAccount(userId: string, hours: number): Promise<RunHourDto[]> {
    return this.dataSource.query<RunHourDto[]>(hoursOf('owner_id = $2 AND'), [hours, userId]);
  }

  ofPlatform(hours: number): Promise<RunHourDto[]> {
    return this.dataSource.query<RunHourDto[]>(hoursOf(''), [hours]);
  }
}
