import { Injectable } from '@nestjs/common';
import { ACTIONS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { isSandboxSufficient, mayUseWorker } from '../workers/worker-access.js';
import type { PlatformFiguresDto, RunFiguresDto, SkriptFiguresDto, WorkerFiguresDto } from './dashboard.dto.js';

/** Today's runs are counted only up to this number, because counting more is slow. */
const MAX_COUNTED_RUNS = 10_000;

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

const OWN = `SELECT
  json_build_object('total', (SELECT count(*)::int FROM skripts WHERE owner_id = $1),
    'newest', (SELECT json_build_object('id', id, 'title', title) FROM skripts WHERE owner_id = $1
               ORDER BY updated_at DESC, id DESC LIMIT 1)) AS skripts,
  ${runFigures('owner_id = $1 AND')} AS runs,
  ${workerFigures(`${mayUseWorker('w.id', '$1')} AND ${isSandboxSufficient('w.id', '$1')}`)} AS workers`;

const PLATFORM = `SELECT
  (SELECT count(*)::int FROM users WHERE disabled_at IS NULL) AS users,
  (SELECT count(*)::int FROM skripts) AS skripts,
  ${runFigures('')} AS runs,
  ${workerFigures('true')} AS workers,
  (SELECT coalesce(sum(bytes), 0)::float FROM storage_usage) AS storage_bytes,
  (SELECT count(*)::int FROM waiting_assignments) AS waiting_for_worker,
  (SELECT count(*)::int FROM contact_messages WHERE created_at > now() - interval '1 day') AS contact_messages`;

export interface OwnFigures {
  skripts: SkriptFiguresDto;
  runs: RunFiguresDto;
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

  async ofPlatform(): Promise<PlatformFiguresDto> {
    const [figures] = await this.dataSource.query<PlatformFiguresDto[]>(PLATFORM);
    return figures as PlatformFiguresDto;
  }
}
