import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DashboardDto } from './dashboard.dto.js';
import { DashboardService } from './dashboard.service.js';

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
      'Skripts, runs, workers and quotas of the account in one call, with the newest runs; for administrators those of the whole platform too.',
  })
  @ApiOkResponse({ type: DashboardDto })
  @ApiErrors('unauthorized')
  get(@CurrentUser() user: SessionUser): Promise<DashboardDto> {
    return this.dashboard.get(user);
  }
}
