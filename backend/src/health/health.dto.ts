import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';

export const HEALTH_STATUSES = ['up', 'down'] as const;

export class HealthCheckDto {
  @ApiProperty({ enum: HEALTH_STATUSES })
  status!: string;

  @ApiPropertyOptional({ type: 'integer', description: 'Response time in ms.', example: 4 })
  responseTime?: number;
}

const BOTH_UP = { postgres: { status: 'up' }, mongodb: { status: 'up' } };
const checks = { type: 'object' as const, additionalProperties: { $ref: getSchemaPath(HealthCheckDto) } };

@ApiExtraModels(HealthCheckDto)
export class HealthDto {
  @ApiProperty({ enum: ['ok'] })
  status!: string;

  @ApiProperty({ ...checks, description: 'Checked services that are up.', example: BOTH_UP })
  info!: Record<string, HealthCheckDto>;

  @ApiProperty({ ...checks, description: 'Checked services that are down.', example: {} })
  error!: Record<string, HealthCheckDto>;

  @ApiProperty({ ...checks, description: 'All checked services.', example: BOTH_UP })
  details!: Record<string, HealthCheckDto>;
}
