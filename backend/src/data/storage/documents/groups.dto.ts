import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiError } from '../../../platform/common/errors.js';
import { ANY_JSON, EnumField, StringField } from '../../../platform/http/fields.js';
import { filterField } from './mongo-documents.dto.js';

export const PERIODS = ['hour', 'day', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** Maximum number of groups in a response, and in an export. */
export const MAX_GROUPS = { response: 1_000, export: 100_000 } as const;

/** @throws {ApiError} 422 if an export has more groups than it may. */
export function checkGroups(count: number): void {
  if (count <= MAX_GROUPS.export) return;
  throw new ApiError(
    'storage_rejected',
    `There are more than ${MAX_GROUPS.export} groups, which is the limit of an export. Group by another field, or narrow the filter.`,
  );
}

/** How to group documents or rows. */
export class GroupDto {
  @StringField({
    description:
      'Field or column to group by. A dotted path names a field inside another: `seller.country`. Any name is valid, also with `$`.',
    example: 'seller.country',
    min: 1,
    max: 500,
  })
  by!: string;

  @EnumField(PERIODS, {
    description:
      'Groups times by hour, day or month. In MongoDB, `by` may contain dates, ISO texts or ObjectIds; in PostgreSQL it must be a column of dates or times.',
    optional: true,
  })
  every?: Period;

  @StringField({
    description: 'Field or column of numbers to add up. Texts that are numbers count too; other values do not.',
    example: 'price',
    min: 1,
    max: 500,
    optional: true,
  })
  of?: string;

  @StringField({
    description: 'IANA time zone in which hours, days and months begin.',
    example: 'Europe/Zagreb',
    min: 1,
    max: 64,
    default: 'UTC',
    optional: true,
  })
  time_zone = 'UTC';
}

export class MongoGroupsQuery extends GroupDto {
  @StringField(filterField)
  filter?: string;
}

const figure = (description: string, example: number) =>
  ApiPropertyOptional({ type: Number, nullable: true, description: `${description} Only with \`of\`.`, example });

export class GroupedDto {
  @ApiProperty({
    ...ANY_JSON,
    description:
      'The value that the documents share; null if they have none. With `every`, the time at which the group begins.',
    example: 'HR',
  })
  group!: unknown;

  @ApiProperty({ type: 'integer', description: 'Number of documents or rows.', example: 420 })
  count!: number;

  @figure('Sum of the numbers; null if there are none.', 8_400.5)
  sum?: number | null;

  @figure('Average of the numbers.', 20.0012)
  average?: number | null;

  @figure('Lowest number.', 3.99)
  min?: number | null;

  @figure('Highest number.', 51.77)
  max?: number | null;
}

export class GroupsDto {
  @ApiProperty({
    type: [GroupedDto],
    description: 'The groups: with `every` the latest first, otherwise the largest first.',
  })
  items!: GroupedDto[];

  @ApiPropertyOptional({ description: `True if there are more than ${MAX_GROUPS.response} groups.` })
  truncated?: boolean;
}
