import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TypeOrmHealthIndicator } from '@nestjs/terminus';
import { Public } from '../auth/auth.guard.js';
import { ApiErrors } from '../http/api-errors.js';
import { HealthDto } from './health.dto.js';

const PING_TIMEOUT_MS = 2_000;

@ApiTags('Health')
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly database: TypeOrmHealthIndicator,
  ) {}

  @Get('live')
  @HealthCheck({ swaggerDocumentation: false })
  @ApiOperation({
    operationId: 'isLive',
    summary: 'Check liveness',
    description: 'Returns 200 while the process responds, even if the databases are down.',
  })
  @ApiOkResponse({ type: HealthDto })
  live(): Promise<HealthCheckResult> {
    return this.health.check([]);
  }

  /** Does not check MongoDB: when it is down, only runs that use it wait. */
  @Get('ready')
  @HealthCheck({ swaggerDocumentation: false })
  @ApiOperation({
    operationId: 'isReady',
    summary: 'Check readiness',
    description:
      'Returns 200 when PostgreSQL is available. Does not check MongoDB: without it, only runs that use it wait.',
  })
  @ApiOkResponse({ type: HealthDto })
  @ApiErrors('service_unavailable')
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.database.pingCheck('postgres', { timeout: PING_TIMEOUT_MS })]);
  }
}
