import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { DashboardDto } from './dashboard.dto.js';
import { DashboardService } from './dashboard.service.js';
import { RunSeriesDto, RunSeriesQuery } from './run-series.dto.js';

@ApiTags('Dashboard')
@ApiBearerAuth()
@Controller('joint-api/dashboard')
export class DashboardController {
  constructor(private readonly dashboard: DashboardService) {}

  @Get()
  @ApiOperation({
    operationId: 'getDashboard',
    summary: 'Get the dashboard',
    description:
      'Returns what fails, what is late and what runs, figures on the account’s skripts, runs, workers and quotas, and its newest runs, in one call. Administrators also get figures of the whole platform.',
  })
  @ApiOkResponse({ type: DashboardDto })
  @ApiErrors('unauthorized')
  get(@CurrentUser() user: SessionUser): Promise<DashboardDto> {
    return this.dashboard.get(user);
  }

  @Get('series')
  @ApiOperation({
    operationId: 'getRunSeries',
    summary: 'Get runs by the hour',
    description:
      'Returns how many of your runs were created in each of the last hours, what became of them, how many rows they stored, and how long they waited for a worker.',
  })
  @ApiOkResponse({ type: RunSeriesDto })
  @ApiErrors('validation_failed', 'unauthorized')
  series(@CurrentUser() user: SessionUser, @Query() { hours }: RunSeriesQuery): Promise<RunSeriesDto> {
    return this.dashboard.series(user.id, hours);
  }

  @Get('platform-series')
  @Roles('admin')
  @ApiOperation({
    operationId: 'getPlatformRunSeries',
    summary: 'Get runs of all accounts by the hour',
    description: 'Returns the same as “Get runs by the hour”, for the runs of all accounts. Administrators only.',
  })
  @ApiOkResponse({ type: RunSeriesDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden')
  platformSeries(@Query() { hours }: RunSeriesQuery): Promise<RunSeriesDto> {
    return this.dashboard.platformSeries(hours);
  }
}
