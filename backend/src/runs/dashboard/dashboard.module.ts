import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/executions.module.js';
import { IssuesModule } from '../issues/issues.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { DashboardController } from './dashboard.controller.js';
import { DashboardRepository } from './dashboard.repository.js';
import { DashboardService } from './dashboard.service.js';
import { RunSeriesRepository } from './run-series.repository.js';

@Module({
  imports: [ExecutionsModule, IssuesModule, WorkersModule],
  controllers: [DashboardController],
  providers: [DashboardRepository, DashboardService, RunSeriesRepository],
})
export class DashboardModule {}
