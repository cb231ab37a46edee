import { Injectable } from '@nestjs/common';
import { ACTIONS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import type { SessionUser } from '../auth/current-user.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import { isContained, isOffered } from '../workers/who-may-use.js';
import type {
  DashboardDto,
  PlatformFiguresDto,
  RunFiguresDto,
  SkriptFiguresDto,
  WorkerFiguresDto,
} from './dashboard.dto.js';

const RECENT_RUNS = 8;
/** Of today's runs: counting more would cost more than it tells. */
const COUNTED_RUNS = 10_000;

const NOW_ONLINE = `count(*) FILTER (WHERE l.replica_id IS NOT NULL AND l.lease_until > now())::int`;
const workerFigures = (where: string): string =>
  `(SELECT json_build_object('online', ${NOW_ONLINE}, 'total', count(*)::int)
    FROM workers w LEFT JOIN worker_leases l ON l.worker_id = w.id WHERE ${where})`;

/** `whose` is a condition on `owner_id`, on which live runs and history have an index, or nothing. */
const runFigures = (whose: string): string => `(
  SELECT json_build_object('under_way', live.under_way, 'waiting', live.waiting, 'today', (
    SELECT json_build_object('total', count(*)::int, 'capped', count(*) = ${COUNTED_RUNS},
      ${ACTIONS.map(action => `'${action}', count(*) FILTER (WHERE action = '${action}')::int`).join(', ')})
    FROM (SELECT action FROM executions
          WHERE ${whose} id >= first_id_at(utc_today()::timestamp AT TIME ZONE 'UTC') ORDER BY id DESC LIMIT ${COUNTED_RUNS}) today))
  FROM (SELECT count(boot_id)::int AS under_way, (count(*) - count(boot_id))::int AS waiting
        FROM live_runs WHERE ${whose} true) live)`;

const OWN = `SELECT
  json_build_object('total', (SELECT count(*)::int FROM skripts WHERE owner_id = $1),
    'newest', (SELECT json_build_object('id', id, 'title', title) FROM skripts WHERE owner_id = $1
               ORDER BY updated_at DESC, id DESC LIMIT 1)) AS skripts,
  ${runFigures('owner_id = $1 AND')} AS runs,
  ${workerFigures(`${isOffered('w.id', '$1')} AND ${isContained('w.id', '$1')}`)} AS workers`;

const PLATFORM = `SELECT
  (SELECT count(*)::int FROM users WHERE disabled_at IS NULL) AS users,
  (SELECT count(*)::int FROM skripts) AS skripts,
  ${runFigures('')} AS runs,
  ${workerFigures('true')} AS workers,
  (SELECT coalesce(sum(bytes), 0)::float FROM storage_usage) AS storage_bytes,
  (SELECT count(*)::int FROM waiting_assignments) AS waiting_for_worker,
  (SELECT count(*)::int FROM contact_messages WHERE created_at > now() - interval '1 day') AS contact_messages`;

interface OwnFigures {
  skripts: SkriptFiguresDto;
  runs: RunFiguresDto;
  workers: WorkerFiguresDto;
}

/** What the panel's first screen needs, in one call. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly executions: ExecutionsService,
    private readonly freeWorkers: FreeWorkersService,
    private readonly quotas: QuotasService,
  ) {}

  async get(user: SessionUser): Promise<DashboardDto> {
    const [[own], recent, quotas, freeWorker, [platform = null]] = await Promise.all([
      this.dataSource.query<OwnFigures[]>(OWN, [user.id]),
      this.executions.list(user.id, { limit: RECENT_RUNS, skip: 0 }),
      this.quotas.uses(user.id),
      this.freeWorkers.stateOf(user.id),
      user.role === 'admin' ? this.dataSource.query<PlatformFiguresDto[]>(PLATFORM) : [],
    ]);
    const { skripts, runs, workers } = own as OwnFigures;
    return {
      skripts,
      runs: { ...runs, total: recent.total, total_capped: recent.total_capped ?? false },
      workers,
      quotas,
      free_worker: freeWorker,
      recent_runs: recent.items,
      platform,
    };
  }
}
