import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FINDING_KINDS, type FindingKind, VERDICT_LEVELS, type VerdictLevel } from '@trawl/contracts';

class FindingDto {
  @ApiProperty({ enum: ['unusual', 'broken'] })
  level!: 'unusual' | 'broken';
  @ApiProperty({
    example: 'dataset',
    description:
      '`dataset`, or a collection or table such as `mongodb:books` or `postgresql:books`. For `blocked` the host: `requests:shop.example`.',
  })
  target!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'price',
    description: 'Null if the finding is about whole rows.',
  })
  field!: string | null;
  @ApiProperty({
    enum: FINDING_KINDS,
    description:
      '`rows`: their number. `duplicates`: share of rows that are the same as an earlier one. `filled`: share of rows with a value. `type`: share of values of the usual type. `variety`: share of the most frequent value. `number`, `length`: median of the numbers, or of the lengths of texts. `schema`: share of rows that the schema of the contract refuses. `blocked`: share of the requests to a host that it blocked.',
  })
  what!: FindingKind;
  @ApiProperty({ example: 0.98, description: 'The usual figure, or the limit of the contract.' })
  was!: number;
  @ApiProperty({ example: 0.41, description: 'The figure of this run.' })
  now!: number;
  @ApiProperty({ example: 'price was filled in 98 % of rows, now in 41 %.' })
  text!: string;
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Up to three rows as examples. In large rows, texts and lists are cut, and fields may be missing.',
    example: [{ title: 'Emma', price: '' }],
  })
  rows!: object[];
}

export class VerdictDto {
  @ApiProperty({
    enum: VERDICT_LEVELS,
    description:
      '`new`: the run was not judged; `reason` says why. `ok`: the rows are as usual. `unusual`: look at them. `broken`: they are so different that something is wrong.',
  })
  level!: VerdictLevel;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the run was not judged; null if it was.',
    example: null,
  })
  reason!: string | null;
  @ApiProperty({ type: [FindingDto], description: 'At most 20, the worst first.' })
  findings!: FindingDto[];
  @ApiPropertyOptional({
    description: 'Whether exports leave out the rows until you accept them. Missing if Trawl never held the rows.',
  })
  is_held?: boolean;
  @ApiPropertyOptional({ format: 'date-time', description: 'When you said that these rows are normal now.' })
  accepted_at?: string;
}
