import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, Matches } from 'class-validator';
import { ErrorBodyDto } from '../common/api-errors.js';
import { Holding } from '../common/fields.js';
import { ExecutionDto, StartValues, WORKER_ID } from './executions.dto.js';

export class MultiStartDto extends StartValues {
  @ApiProperty({
    description: 'The workers, each once; one of them may be `any`.',
    type: 'array',
    items: { type: 'string', maxLength: 36, pattern: WORKER_ID.source },
    minItems: 1,
    maxItems: LIMITS.workersPerStart,
    uniqueItems: true,
    example: ['any', '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072'],
  })
  // One spelling, so that the same worker is known as the same.
  @Transform(({ value }) =>
    Array.isArray(value) ? value.map(id => (typeof id === 'string' ? id.toLowerCase() : id)) : value,
  )
  @Holding({ atMost: LIMITS.workersPerStart })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(LIMITS.workersPerStart)
  @ArrayUnique({ message: 'worker_ids must name each worker once' })
  @Matches(WORKER_ID, { each: true, message: 'each of worker_ids must be the id of a worker, or any' })
  worker_ids!: string[];
}

class WorkerStartDto {
  @ApiProperty({ description: 'As it was asked for.', example: 'any' })
  worker_id!: string;
  @ApiProperty({ type: 'integer', description: 'What a start on this worker alone would have answered.', example: 200 })
  status!: number;
  @ApiPropertyOptional({ type: ExecutionDto, description: 'The run, if it was started.' })
  execution?: ExecutionDto;
  @ApiPropertyOptional({ type: ErrorBodyDto, description: 'Why it was not started.' })
  error?: ErrorBodyDto;
}

export class MultiStartResultDto {
  @ApiProperty({ type: 'integer', description: 'How many runs go on.', example: 0 })
  going_on!: number;
  @ApiProperty({ type: [WorkerStartDto], description: 'One for each of `worker_ids`, in their order.' })
  results!: WorkerStartDto[];
}
