import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GROWTH_DAYS, MAX_READ_RUNS, MAX_TARGETS, type WrittenDataDto } from './written-data.dto.js';

/** Reads what the runs of a skript wrote. Each run has it already, so no run costs a statement more. */
@Injectable()
export class WrittenDataRepository {
  constructor(private readonly dataSource: DataSource) {}

  async ofSkript(ownerId: string, skriptId: string): Promise<WrittenDataDto> {
    const [row] = await this.dataSource.query<WrittenDataDto[]>(
      `WITH runs AS MATERIALIZED (
         SELECT writes, created_at FROM executions WHERE owner_id = $1 AND skript_id = $2 ORDER BY id DESC LIMIT $3),
       days AS (
         SELECT w.store, w.database, w.name, (runs.created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS runs,
           sum(w.inserted) AS inserted, sum(w.updated) AS updated, sum(w.deleted) AS deleted,
           min(runs.created_at) AS first, max(runs.created_at) AS last
         FROM runs CROSS JOIN LATERAL json_to_recordset(runs.writes)
           AS w(store text, database text, name text, inserted bigint, updated bigint, deleted bigint)
         GROUP BY 1, 2, 3, 4),
       targets AS (
         SELECT store, database, name, sum(runs) AS runs, sum(inserted) AS inserted, sum(updated) AS updated,
           sum(deleted) AS deleted, iso_time(min(first)) AS first_run_at, iso_time(max(last)) AS last_run_at,
           COALESCE(json_agg(json_build_object('day', day, 'inserted', inserted, 'deleted', deleted) ORDER BY day)
             FILTER (WHERE day > (now() AT TIME ZONE 'UTC')::date - $4::int), '[]') AS days
         FROM days GROUP BY 1, 2, 3 ORDER BY max(last) DESC, name LIMIT $5)
       SELECT (SELECT count(*)::int FROM runs) AS runs,
         (SELECT COALESCE(json_agg(targets ORDER BY last_run_at DESC, name), '[]') FROM targets) AS items`,
      [ownerId, skriptId, MAX_READ_RUNS, GROWTH_DAYS, MAX_TARGETS],
    );
    return row as WrittenDataDto;
  }
}
