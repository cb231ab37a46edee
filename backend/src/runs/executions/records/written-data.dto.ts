import { ApiProperty } from '@nestjs/swagger';
import { type RunWrite, WRITE_STORES } from '@trawl/contracts';
import { SkriptIdField } from '../../../platform/http/names/named-ids.js';

/** Newest runs of a skript that are read. */
export const MAX_READ_RUNS = 5_000;
/** Collections and tables that are listed. */
export const MAX_TARGETS = 200;
/** Days of which the growth is listed. */
export const GROWTH_DAYS = 30;

export class WrittenDataQuery {
  @SkriptIdField({ description: 'The skript whose runs wrote the data.' })
  skript_id!: string;
}

class WrittenDayDto {
  @ApiProperty({ format: 'date', description: 'The day in UTC on which the runs started.', example: '2026-02-15' })
  day!: string;
  @ApiProperty({ type: 'integer', example: 60 })
  inserted!: number;
  @ApiProperty({ type: 'integer', example: 0 })
  deleted!: number;
}

/** Counts of the rows that a skript's runs wrote to one collection or table. */
export class WrittenTargetDto {
  @ApiProperty({ enum: WRITE_STORES, description: 'The dataset and the key-value store are in `mongodb`.' })
  store!: RunWrite['store'];
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'prices',
    description: 'The database of MongoDB that the skript named; null for PostgreSQL, and for your oldest database.',
  })
  database!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'books',
    description: 'The collection or table; null if it is not known. See `writes` of a run.',
  })
  name!: string | null;
  @ApiProperty({ type: 'integer', description: 'Number of runs that wrote to it.', example: 12 })
  runs!: number;
  @ApiProperty({ type: 'integer', description: 'Documents or rows of all these runs.', example: 720 })
  inserted!: number;
  @ApiProperty({ type: 'integer', example: 0 })
  updated!: number;
  @ApiProperty({ type: 'integer', example: 0 })
  deleted!: number;
  @ApiProperty({ format: 'date-time', description: 'When the oldest of these runs started.' })
  first_run_at!: string;
  @ApiProperty({ format: 'date-time', description: 'When the newest of these runs started.' })
  last_run_at!: string;
  @ApiProperty({
    type: [WrittenDayDto],
    description: `The days with such runs among the last ${GROWTH_DAYS}, the oldest first.`,
  })
  days!: WrittenDayDto[];
}

export class WrittenDataDto {
  @ApiProperty({ type: 'integer', description: 'Number of runs that were read.', example: 15 })
  runs!: number;
  @ApiProperty({
    type: [WrittenTargetDto],
    description: `Up to ${MAX_TARGETS} collections and tables; the latest written ones come first.`,
  })
  items!: WrittenTargetDto[];
}
