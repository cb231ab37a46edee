import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TypeOrmHealthIndicator } from '@nestjs/terminus';
import { MongoConnectionService } from '../../data/storage/mongodb/mongo-connection.service.js';
import { Public } from '../../platform/auth/auth.guard.js';
import { ApiError } from '../../platform/common/errors.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { RedisService } from '../../platform/redis/redis.service.js';
import { EventLoop } from './event-loop.service.js';
import { type HealthCheckDto, HealthDto } from './health.dto.js';
import { Readiness } from './readiness.service.js';

const PING_TIMEOUT_MS = 2_000;

@ApiTags('Health')
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly mongo: MongoConnectionService,
    private readonly redis: RedisService,
    private readonly readiness: Readiness,
    private readonly eventLoop: EventLoop,
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

  /** Only PostgreSQL decides about the status: without MongoDB only runs that use it wait, without Redis only echoes. */
  @Get('ready')
  @HealthCheck({ swaggerDocumentation: false })
  @ApiOperation({
    operationId: 'isReady',
    summary: 'Check readiness',
    description:
      'Returns 200 when PostgreSQL is available. Also says whether MongoDB is available, and with `REDIS_URL` whether Redis is; the status stays 200 without them. Without MongoDB, only runs and calls that use it wait or fail. Without Redis, only live echoes of other backends are missing. `event_loop` is `degraded`, with the reason, if the event loop of this backend was blocked for a second or longer in the last minute; the status stays 200 then too.',
  })
  @ApiOkResponse({ type: HealthDto })
  @ApiErrors('service_unavailable')
  async ready(): Promise<HealthDto> {
    if (this.readiness.isStopping) throw new ApiError('service_unavailable', 'This backend is stopping.');
    const checks = [() => this.database.pingCheck('postgres', { timeout: PING_TIMEOUT_MS })];
    const result = (await this.health.check(checks)) as HealthDto;
    const optional = {
      mongodb: health(this.mongo.checkAvailable()),
      ...(this.redis.isConfigured && { redis: health(this.redis.isAvailable) }),
    };
    const withStatus = (wanted: string) =>
      Object.fromEntries(Object.entries(optional).filter(([, { status }]) => status === wanted));
    const event_loop = loopHealth(this.eventLoop.problem);
    return {
      ...result,
      info: { ...result.info, ...withStatus('up'), event_loop },
      error: { ...result.error, ...withStatus('down') },
      details: { ...result.details, ...optional, event_loop },
    };
  }
}

const loopHealth = (reason: string | null): HealthCheckDto =>
  reason === null ? { status: 'up' } : { status: 'degraded', reason };
const health = (isAvailable: boolean) => ({ status: isAvailable ? ('up' as const) : ('down' as const) });
