import { Injectable } from '@nestjs/common';
import type { SessionUser } from '../../platform/auth/current-user.js';
import { QuotasService } from '../../platform/quotas/quotas.service.js';
import { ExecutionsService } from '../executions/records/executions.service.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import type { DashboardDto } from './dashboard.dto.js';
import { DashboardRepository } from './dashboard.repository.js';
import type { RunSeriesDto } from './run-series.dto.js';
import { RunSeriesRepository } from './run-series.repository.js';

const RECENT_RUNS = 8;
/** Collects what the panel's first screen shows. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly figures: DashboardRepository,
    private readonly runSeries: RunSeriesRepository,
    private readonly executions: ExecutionsService,
    private readonly freeWorkers: FreeWorkersService,
    private readonly quotas: QuotasService,
  ) {}

  async get(user: SessionUser): Promise<DashboardDto> {
    const [{ skripts, runs, workers }, recent, quotas, freeWorker, platform] = await Promise.all([
      this.figures.ofAccount(user.id),
      this.executions.list(user.id, { limit: RECENT_RUNS, skip: 0 }),
      this.quotas.uses(user.id),
      this.freeWorkers.stateOf(user.id),
      user.role === 'admin' ? this.figures.ofPlatform() : null,
    ]);
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

  async series(userId: string, hours: number): Promise<RunSeriesDto> {
    const [counted, last_errors] = await Promise.all([
      this.runSeries.hours(userId, hours),
      this.runSeries.lastErrors(userId),
    ]);
    return { hours: counted, last_errors };
  }
}
