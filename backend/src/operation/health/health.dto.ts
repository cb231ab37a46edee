import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';

export const HEALTH_STATUSES = ['up', 'degraded', 'down'] as const;

export class HealthCheckDto {
  @ApiProperty({ enum: HEALTH_STATUSES })
  status!: string;

  @ApiPropertyOptional({ type: 'integer', description: 'Response time in ms.', example: 4 })
  responseTime?: number;

  @ApiPropertyOptional({
    description: 'Why it is degraded.',
    example: 'The event loop of this backend was blocked for 1840 ms in the last minute, so it answers late.',
  })
  reason?: string;
}

const BOTH_UP = { postgres: { status: 'up' }, mongodb: { status: 'up' }, event_loop: { status: 'up' } };
const checks = { type: 'object' as const, additionalProperties: { $ref: getSchemaPath(HealthCheckDto) } };

@ApiExtraModels(HealthCheckDto)
export class HealthDto {
  @ApiProperty({ enum: ['ok'] })
  status!: string;

  @ApiProperty({ ...checks, description: 'Services that are up or degraded.', example: BOTH_UP })
  info!: Record<string, HealthCheckDto>;

  @ApiProperty({ ...checks, description: 'Services that are down.', example: {} })
  error!: Record<string, HealthCheckDto>;

  @ApiProperty({ ...checks, description: 'All that is checked.', example: BOTH_UP })
  details!: Record<string, HealthCheckDto>;
}
