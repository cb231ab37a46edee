import { ApiProperty } from '@nestjs/swagger';
import type { RecordSummary } from '@trawl/contracts';

/** The record of the HTTP exchanges of a run. */
export class RunRecordDto implements RecordSummary {
  @ApiProperty({ type: 'integer', description: 'Size of the record, compressed.', example: 48_213 })
  bytes!: number;
  @ApiProperty({ type: 'integer', example: 62 })
  exchanges!: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the record was not kept; null if it was.',
    example: null,
  })
  problem!: string | null;
}
