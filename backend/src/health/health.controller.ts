import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TypeOrmHealthIndicator } from '@nestjs/terminus';
import { Public } from '../auth/auth.guard.js';

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
  @HealthCheck()
  @ApiOperation({ operationId: 'isLive', summary: 'Is the process alive' })
  live(): Promise<HealthCheckResult> {
    return this.health.check([]);
  }

  /** MongoDB is not asked: when it is down, only runs that use it wait. */
  @Get('ready')
  @HealthCheck()
  @ApiOperation({ operationId: 'isReady', summary: 'Can it serve' })
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.database.pingCheck('postgres', { timeout: PING_TIMEOUT_MS })]);
  }
}
