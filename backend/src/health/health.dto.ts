import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';

export class HealthCheckDto {
  @ApiProperty({ enum: ['up', 'down'] })
  status!: string;

  @ApiPropertyOptional({ type: 'integer', description: 'How long it took to answer, in ms.', example: 4 })
  responseTime?: number;
}

const checks = { type: 'object' as const, additionalProperties: { $ref: getSchemaPath(HealthCheckDto) } };

@ApiExtraModels(HealthCheckDto)
export class HealthDto {
  @ApiProperty({ enum: ['ok'] })
  status!: string;

  @ApiProperty({ ...checks, description: 'What was asked and is up.', example: { postgres: { status: 'up' } } })
  info!: Record<string, HealthCheckDto>;

  @ApiProperty({ ...checks, description: 'What was asked and is down.', example: {} })
  error!: Record<string, HealthCheckDto>;

  @ApiProperty({ ...checks, description: 'All that was asked.', example: { postgres: { status: 'up' } } })
  details!: Record<string, HealthCheckDto>;
}
