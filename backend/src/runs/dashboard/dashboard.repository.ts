import { Injectable } from '@nestjs/common';
import { ACTIONS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { IS_NO_MARK } from '../executions/verdicts/profiles-sql.js';
import { isSandboxSufficient, mayUseWorker } from '../workers/worker-access.js';
import type {
  BrokenRowsDto,
  LateDto,
  PlatformFiguresDto,
  RunFiguresDto,
  SkriptFiguresDto,
  WorkerFiguresDto,
} from './dashboard.dto.js';

/** Today's runs are counted only up to this number, because counting more is slow. */
const MAX_COUNTED_RUNS = 10_000;

/** A run that waits longer is late, and so is a schedule whose fire is overdue by more. */
const LATE_AFTER = "interval '1 minute'";
const SHOWN_LATE = 5;
const SHOWN_LIVE = 8;
const SHOWN_BROKEN = 5;
/** Broken runs of a skript that are looked at: it may have several inputs, each with its own rows. */
const SEARCHED_BROKEN = 20;

const ONLINE_WORKERS = `count(*) FILTER (WHERE l.replica_id IS NOT NULL AND l.lease_until > now())::int`;
const workerFigures = (where: string): string =>
  `(SELECT json_build_object('online', ${ONLINE_WORKERS}, 'total', count(*)::int)
    FROM workers w LEFT JOIN worker_leases l ON l.worker_id = w.id WHERE ${where})`;

/**
 * Returns SQL that counts runs. `ownerCondition` is an SQL condition on `owner_id` with `AND` at its end, or an empty
 * text to count the runs of all accounts.
 */
const runFigures = (ownerCondition: string): string => `(
  SELECT json_build_object('under_way', live.in_progress, 'waiting', live.waiting, 'today', (
    SELECT json_build_object('total', count(*)::int, 'capped', count(*) = ${MAX_COUNTED_RUNS},
      ${ACTIONS.map(action => `'${action}', count(*) FILTER (WHERE action = '${action}')::int`).join(', ')})
    FROM (SELECT action FROM executions
          WHERE ${ownerCondition} id >= first_id_at(utc_today()::timestamp AT TIME ZONE 'UTC') ORDER BY id DESC LIMIT ${MAX_COUNTED_RUNS}) today))
  FROM (SELECT count(boot_id)::int AS in_progress, (count(*) - count(boot_id))::int AS waiting
        FROM live_runs WHERE ${ownerCondition} true) live)`;

/**
 * The skripts of `$1` whose rows are broken now: after the broken run, no run with the same input was judged better. Each has its
 * latest broken run.
 */
const BROKEN = `(
  SELECT json_build_object('total', count(*)::int, 'items', coalesce(json_agg(item ORDER BY place) FILTER (WHERE place <= ${SHOWN_BROKEN}), '[]'))
  FROM (SELECT row_number() OVER (ORDER BY b.id DESC) AS place, json_build_object(
          'skript', json_build_object('id', s.id, 'name', s.title), 'execution_id', b.id, 'text', b.text, 'ended_at', b.ended_at) AS item
        FROM skripts s CROSS JOIN LATERAL (
          SELECT e.id, p.text, iso_time(e.updated_at) AS ended_at
          FROM (SELECT execution_id, input_key, verdict #>> '{findings,0,text}' AS text FROM run_profiles
                WHERE skript_id = s.id AND NOT is_good AND ${IS_NO_MARK} ORDER BY execution_id DESC LIMIT ${SEARCHED_BROKEN}) p
          JOIN executions e ON e.id = p.execution_id
          WHERE NOT EXISTS (SELECT FROM run_profiles l WHERE l.skript_id = s.id AND l.input_key = p.input_key
            AND l.execution_id > p.execution_id AND l.is_good AND l.verdict->>'level' <> 'new')
          ORDER BY e.id DESC LIMIT 1) b
        WHERE s.owner_id = $1) broken)`;

const OWN = `SELECT
  json_build_object('total', (SELECT count(*)::int FROM skripts WHERE owner_id = $1),
    'newest', (SELECT json_build_object('id', id, 'title', title) FROM skripts WHERE owner_id = $1
               ORDER BY updated_at DESC, id DESC LIMIT 1)) AS skripts,
  ${runFigures('owner_id = $1 AND')} AS runs,
  (SELECT coalesce(json_agg(execution_id), '[]') FROM (
     SELECT execution_id FROM live_runs WHERE owner_id = $1 ORDER BY execution_id DESC LIMIT ${SHOWN_LIVE}) live) AS live,
  ${BROKEN} AS broken_rows,
  ${workerFigures(`${mayUseWorker('w.id', '$1')} AND ${isSandboxSufficient('w.id', '$1')}`)} AS workers`;

/** Late runs and schedules, the latest first. A run that waits for its retry is not late. */
const LATE = `
  SELECT kind, id, name, iso_time(since) AS since, reason, (count(*) OVER ())::int AS total FROM (
    SELECT 'run' AS kind, e.id, e.skript_name AS name, r.waiting_since AS since, r.waiting_reason AS reason
    FROM live_runs r JOIN executions e ON e.id = r.execution_id
    WHERE r.owner_id = $1 AND r.boot_id IS NULL AND r.waiting_reason <> 'retry_scheduled'
      AND r.waiting_since < now() - ${LATE_AFTER}
    UNION ALL
    SELECT 'schedule', id, name, coalesce(problem_since, next_fire_at), problem FROM schedules
    WHERE owner_id = $1 AND enabled AND (problem IS NOT NULL OR next_fire_at < now() - ${LATE_AFTER})) late
  ORDER BY since, id LIMIT ${SHOWN_LATE}`;

/** The runs of all accounts in the last hour. */
const LAST_HOUR = `(
  SELECT json_build_object('runs', count(*)::int, 'capped', count(*) = ${MAX_COUNTED_RUNS},
    'ended', (count(*) FILTER (WHERE action IN ('end', 'error')))::int,
    'failed', (count(*) FILTER (WHERE action = 'error'))::int,
    'wait_ms_p95', round(extract(epoch FROM percentile_cont(0.95) WITHIN GROUP (ORDER BY started_at - created_at)) * 1000))
  FROM (SELECT action, created_at, started_at FROM executions
        WHERE id >= first_id_at(now() - interval '1 hour') ORDER BY id DESC LIMIT ${MAX_COUNTED_RUNS}) hour)`;

const PLATFORM = `SELECT
  (SELECT count(*)::int FROM users WHERE disabled_at IS NULL) AS users,
  (SELECT count(*)::int FROM skripts) AS skripts,
  ${runFigures('')} AS runs,
  ${workerFigures('true')} AS workers,
  (SELECT coalesce(sum(bytes), 0)::float FROM storage_usage) AS storage_bytes,
  ${LAST_HOUR} AS last_hour,
  (SELECT round(extract(epoch FROM now() - min(waiting_since)) * 1000)::float FROM live_runs
   WHERE boot_id IS NULL AND waiting_reason <> 'retry_scheduled') AS oldest_waiting_ms,
  (SELECT count(*)::int FROM waiting_assignments) AS waiting_for_worker,
  (SELECT count(*)::int FROM contact_messages WHERE created_at > now() - interval '1 day') AS contact_messages`;

export interface OwnFigures {
  /** Ids of the newest runs that have not ended. */
  live: string[];
  skripts: SkriptFiguresDto;
  runs: RunFiguresDto;
  broken_rows: BrokenRowsDto;
  workers: WorkerFiguresDto;
}

/** Counts what the dashboard shows: one SQL statement for the account, another one for the whole platform. */
@Injectable()
export class DashboardRepository {
  constructor(private readonly dataSource: DataSource) {}

  async ofAccount(userId: string): Promise<OwnFigures> {
    const [figures] = await this.dataSource.query<OwnFigures[]>(OWN, [userId]);
    return figures as OwnFigures;
  }

  async late(userId: string): Promise<{ total: number; items: LateDto[] }> {
    const rows = await this.dataSource.query<(LateDto & { total: number })[]>(LATE, [userId]);
    return { total: rows[0]?.total ?? 0, items: rows.map(({ total: _, ...item }) => item) };
  }

  async ofPlatform(): Promise<PlatformFiguresDto> {
    const [figures] = await this.dataSource.query<PlatformFiguresDto[]>(PLATFORM);
    return figures as PlatformFiguresDto;
  }
}
