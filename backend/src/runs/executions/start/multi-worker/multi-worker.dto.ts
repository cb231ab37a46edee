import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, Matches } from 'class-validator';
import { ErrorBodyDto } from '../../../../platform/http/api-errors.js';
import { Holding } from '../../../../platform/http/fields.js';
import { WORKER_ID } from '../../../workers/worker-id-field.js';
import { ExecutionDto } from '../../records/executions.dto.js';
import { StartValues } from '../start.dto.js';

export class MultiStartDto extends StartValues {
  @ApiProperty({
    description: 'Ids of the workers, without duplicates. One of them may be `any`.',
    type: 'array',
    items: { type: 'string', maxLength: 36, pattern: WORKER_ID.source },
    minItems: 1,
    maxItems: LIMITS.workersPerStart,
    uniqueItems: true,
    example: ['any', '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072'],
  })
  // Ids in lower case, so that duplicates are recognised.
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
  @ApiProperty({ description: 'The worker as sent in the request.', example: 'any' })
  worker_id!: string;
  @ApiProperty({
    type: 'integer',
    description: 'HTTP status that a start on this worker alone would return.',
    example: 200,
  })
  status!: number;
  @ApiPropertyOptional({ type: ExecutionDto, description: 'The run, if it started.' })
  execution?: ExecutionDto;
  @ApiPropertyOptional({ type: ErrorBodyDto, description: 'Why the run did not start.' })
  error?: ErrorBodyDto;
}

export class MultiStartResultDto {
  @ApiProperty({ type: 'integer', description: 'Number of runs that are still live.', example: 0 })
  going_on!: number;
  @ApiProperty({ type: [WorkerStartDto], description: 'One result for each of `worker_ids`, in the same order.' })
  results!: WorkerStartDto[];
}
