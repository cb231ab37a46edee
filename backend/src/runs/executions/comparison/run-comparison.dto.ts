import { ApiProperty } from '@nestjs/swagger';
import { LIMITS, ROW_DIFFERENCES, ROW_MATCHES, type RowComparison, type RowDifference } from '@trawl/contracts';
import { StringField } from '../../../platform/http/fields.js';
import { MAX_TARGETS } from '../recordings/inserted-rows.service.js';

class ComparedRowsDto {
  @ApiProperty({ example: 240, description: 'Number of rows that were compared.' })
  compared!: number;
  @ApiProperty({
    description: 'False if the run has more rows than can be compared. Rows at the end then seem added or gone.',
  })
  complete!: boolean;
}

class ChangedRowFieldDto {
  @ApiProperty({ example: 'price', description: 'Dotted path.' })
  field!: string;
  @ApiProperty({ example: 12, description: 'Number of changed rows in which the field differs.' })
  rows!: number;
}

class RowDifferenceDto implements RowDifference {
  @ApiProperty({ enum: ROW_DIFFERENCES })
  kind!: RowDifference['kind'];
  @ApiProperty({
    type: String,
    nullable: true,
    example: '{"sku":"B01"}',
    description: 'JSON of the key, or of the value of `match_field`. Null if `matched_by` is `row`.',
  })
  key!: string | null;
  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: {
      type: 'object',
      required: ['was', 'now'],
      properties: {
        was: { description: 'The value of the other run.' },
        now: { description: 'The value of this run.' },
      },
    },
    example: { price: { was: 12.5, now: 9 } },
    description:
      'The fields that differ, by dotted path: at most 50. A field without a value is null. Values over 1,000 characters are text that is cut. `null` if only one run has the row.',
  })
  fields!: RowDifference['fields'];
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { sku: 'B01', title: 'Emma', price: 9 },
    description: 'The row of this run, or of the other run if the row is gone. It is cut in the same way.',
  })
  row!: RowDifference['row'];
}

export class RunComparisonQuery {
  @StringField({
    description:
      'What to compare: one of the `targets` of the answer. Default: `dataset`, or the first of `targets` if neither run has rows of `dataset.push`.',
    min: 1,
    max: 500,
    example: 'mongodb:books',
    optional: true,
  })
  target?: string;
}

export class RunComparisonDto implements RowComparison {
  @ApiProperty({ example: 'dataset', description: 'The rows that were compared.' })
  target!: string;
  @ApiProperty({
    type: [String],
    example: ['dataset', 'mongodb:books', 'postgresql:books'],
    description: `Data that you can compare: \`dataset\` for rows of \`dataset.push\`. If both runs are recorded runs or replays, also the collections and tables that one of them sent rows to with inserts, replacements and updates of \`mongo\`, and with \`postgres.insertMany\`. Trawl keeps the first ${LIMITS.insertedBytes / 1024 / 1024} MB of such rows, in up to ${MAX_TARGETS} collections and tables, as the run sends them, even if the database refuses them.`,
  })
  targets!: string[];
  @ApiProperty({ type: ComparedRowsDto, description: 'The rows of the other run.' })
  was!: ComparedRowsDto;
  @ApiProperty({ type: ComparedRowsDto, description: 'The rows of this run.' })
  now!: ComparedRowsDto;
  @ApiProperty({ example: 230, description: 'Number of rows that are the same in both runs.' })
  equal!: number;
  @ApiProperty({ example: 8 })
  changed!: number;
  @ApiProperty({ example: 2, description: 'Number of rows that only this run has.' })
  added!: number;
  @ApiProperty({ example: 1, description: 'Number of rows that only the other run has.' })
  gone!: number;
  @ApiProperty({
    enum: ROW_MATCHES,
    description:
      '`key`: by the key of `dataset.push`, because all rows have one. `field`: by the field `match_field`, whose values tell the rows of each run apart. `row`: equal rows in any order, the others one by one; two of them are the same row if at least half of their fields are equal.',
  })
  matched_by!: RowComparison['matched_by'];
  @ApiProperty({ type: String, nullable: true, example: 'url' })
  match_field!: string | null;
  @ApiProperty({ type: [ChangedRowFieldDto], description: 'The most frequent first. At most 200.' })
  fields!: ChangedRowFieldDto[];
  @ApiProperty({
    type: [RowDifferenceDto],
    description:
      'Changed rows, then added ones, then those that are gone. The first 300 of each kind, or fewer if they are large.',
  })
  items!: RowDifferenceDto[];
}
