import { ApiProperty } from '@nestjs/swagger';

export class WorkerSampleDto {
  @ApiProperty({ format: 'date-time', example: '2026-02-15T09:30:00.000Z' })
  at!: string;
  @ApiProperty({ description: 'Whether the worker was connected.' })
  is_online!: boolean;
  @ApiProperty({
    type: 'integer',
    description: 'Number of runs on the worker, also those that are paused.',
    example: 2,
  })
  runs!: number;
  @ApiProperty({
    type: 'number',
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'Share of the CPU of all cores in use, from 0 to 1. Null if the worker was offline.',
    example: 0.42,
  })
  cpu!: number | null;
  @ApiProperty({
    type: 'number',
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'Share of the memory in use, from 0 to 1. Null if the worker was offline.',
    example: 0.38,
  })
  memory!: number | null;
}

export class WorkerHistoryDto {
  @ApiProperty({
    type: [WorkerSampleDto],
    description: 'Oldest first, at most 288. Times when no backend ran have no sample.',
  })
  samples!: WorkerSampleDto[];
}
