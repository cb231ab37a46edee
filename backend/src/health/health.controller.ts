import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TypeOrmHealthIndicator } from '@nestjs/terminus';
import { Public } from '../auth/auth.guard.js';
import { ApiError } from '../common/errors.js';
import { ApiErrors } from '../http/api-errors.js';
import { RedisService } from '../redis/redis.service.js';
import { HealthDto } from './health.dto.js';
import { Readiness } from './readiness.service.js';

const PING_TIMEOUT_MS = 2_000;

@ApiTags('Health')
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly redis: RedisService,
    private readonly readiness: Readiness,
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
      'Returns 200 when PostgreSQL is available. Does not check MongoDB: without it, only runs that use it wait. With `REDIS_URL`, says whether Redis is available; without it, only live echoes of other backends are missing.',
  })
  @ApiOkResponse({ type: HealthDto })
  @ApiErrors('service_unavailable')
  async ready(): Promise<HealthCheckResult> {
    if (this.readiness.isStopping) throw new ApiError('service_unavailable', 'This backend is stopping.');
    const result = await this.health.check([() => this.database.pingCheck('postgres', { timeout: PING_TIMEOUT_MS })]);
    if (!this.redis.isConfigured) return result;
    const { info = {}, error = {}, details } = result;
    const redis = { redis: { status: this.redis.isAvailable ? ('up' as const) : ('down' as const) } };
    return {
      ...result,
      info: this.redis.isAvailable ? { ...info, ...redis } : info,
      error: this.redis.isAvailable ? error : { ...error, ...redis },
      details: { ...details, ...redis },
    };
  }
}
