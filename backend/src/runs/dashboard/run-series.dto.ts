import { ApiProperty } from '@nestjs/swagger';
import { IntField } from '../../platform/http/fields.js';
import { ActionCountsDto } from './action-counts.dto.js';

const MAX_HOURS = 168;

export class RunSeriesQuery {
  @IntField({
    description: 'Number of hours, including the current one.',
    min: 1,
    max: MAX_HOURS,
    default: 24,
    optional: true,
  })
  hours = 24;
}

export class RunHourDto extends ActionCountsDto {
  @ApiProperty({ format: 'date-time', description: 'Start of the hour, in UTC.' })
  hour!: string;
  @ApiProperty({
    type: 'integer',
    description:
      'Number of rows that these runs have stored: in their datasets, and inserted or updated in collections and tables; including those deleted since.',
    example: 1_240,
  })
  rows!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Median time that these runs waited for a worker, in ms. For retries, it includes the delay. Null if no worker has taken one.',
    example: 12,
  })
  wait_ms_median!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'The longest of these waits, in ms.', example: 840 })
  wait_ms_max!: number | null;
}

export class RunSeriesDto {
  @ApiProperty({
    type: [RunHourDto],
    description:
      'The hours, oldest first, also those without runs. Each hour counts the runs created in it. Counts the newest 50,000 runs; earlier hours are left out.',
  })
  hours!: RunHourDto[];
}
