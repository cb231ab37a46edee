import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../http/api-errors.js';
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
      'Returns figures on the account’s skripts, runs, workers and quotas, and its newest runs, in one call. Administrators also get figures of the whole platform.',
  })
  @ApiOkResponse({ type: DashboardDto })
  @ApiErrors('unauthorized')
  get(@CurrentUser() user: SessionUser): Promise<DashboardDto> {
    return this.dashboard.get(user);
  }
}
