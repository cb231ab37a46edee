import { Injectable } from '@nestjs/common';
import type { SessionUser } from '../../platform/auth/current-user.js';
import { QuotasService } from '../../platform/quotas/quotas.service.js';
import { listedOf } from '../executions/records/execution-rows.js';
import type { ExecutionDto, ListedExecutionDto } from '../executions/records/executions.dto.js';
import { ExecutionsService } from '../executions/records/executions.service.js';
import { IssuesService } from '../issues/issues.service.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import type { DashboardDto } from './dashboard.dto.js';
import { DashboardRepository } from './dashboard.repository.js';
import type { RunSeriesDto } from './run-series.dto.js';
import { RunSeriesRepository } from './run-series.repository.js';

const RECENT_RUNS = 8;
const NEWEST_ISSUES = 5;

/** Collects what the panel's first screen shows. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly figures: DashboardRepository,
    private readonly runSeries: RunSeriesRepository,
    private readonly executions: ExecutionsService,
    private readonly issues: IssuesService,
    private readonly freeWorkers: FreeWorkersService,
    private readonly quotas: QuotasService,
  ) {}

  async get(user: SessionUser): Promise<DashboardDto> {
    const [{ live, ...figures }, recent, issues, late, quotas, freeWorker, platform] = await Promise.all([
      this.figures.ofAccount(user.id),
      this.executions.list(user.id, { limit: RECENT_RUNS, skip: 0 }),
      this.issues.list(user.id, { limit: NEWEST_ISSUES, skip: 0, status: 'open' }),
      this.figures.late(user.id),
      this.quotas.uses(user.id),
      this.freeWorkers.stateOf(user.id),
      user.role === 'admin' ? this.figures.ofPlatform() : null,
    ]);
    return {
      ...figures,
      runs: { ...figures.runs, total: recent.total, total_capped: recent.total_capped ?? false },
      quotas,
      free_worker: freeWorker,
      issues: { total: issues.total, newest: issues.items },
      late,
      live_runs: live.length === 0 ? [] : listed(await this.executions.ofIds(user.id, live)),
      recent_runs: recent.items,
      platform,
    };
  }

  async series(userId: string, hours: number): Promise<RunSeriesDto> {
    return { hours: await this.runSeries.ofAccount(userId, hours) };
  }

  async platformSeries(hours: number): Promise<RunSeriesDto> {
    return { hours: await this.runSeries.ofPlatform(hours) };
  }
}

/** Returns executions as lists contain them, the newest first. */
const listed = (runs: ExecutionDto[]): ListedExecutionDto[] =>
  runs.map(listedOf).sort((a, b) => (a.id < b.id ? 1 : -1));
