import { ApiProperty } from '@nestjs/swagger';
import type { RecordSummary } from '@trawl/contracts';

/** The record of the HTTP exchanges of a run. */
export class RunRecordDto implements RecordSummary {
  @ApiProperty({
    type: 'integer',
    description: 'Size of the record, compressed. 0 if the run has none.',
    example: 48_213,
  })
  bytes!: number;
  @ApiProperty({ type: 'integer', example: 62 })
  exchanges!: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'A sentence: why the run has no record, or what its record lacks. Null if the record is complete.',
    example: null,
  })
  problem!: string | null;
}
