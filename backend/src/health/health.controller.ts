import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TypeOrmHealthIndicator } from '@nestjs/terminus';
import { Public } from '../auth/auth.guard.js';
import { ApiErrors } from '../common/api-errors.js';
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
    summary: 'Is the process alive',
    description: 'Answers as long as the process does, whatever the databases do.',
  })
  @ApiOkResponse({ type: HealthDto })
  live(): Promise<HealthCheckResult> {
    return this.health.check([]);
  }

  /** MongoDB is not asked: when it is down, only runs that use it wait. */
  @Get('ready')
  @HealthCheck({ swaggerDocumentation: false })
  @ApiOperation({
    operationId: 'isReady',
    summary: 'Can it serve',
    description:
      'Answers 200 when PostgreSQL can be reached. MongoDB is not asked: without it, only runs that use it wait.',
  })
  @ApiOkResponse({ type: HealthDto })
  @ApiErrors('service_unavailable')
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.database.pingCheck('postgres', { timeout: PING_TIMEOUT_MS })]);
  }
}
