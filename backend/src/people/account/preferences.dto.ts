import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { z } from 'zod';
import { ApiError } from '../../platform/common/errors.js';
import { EnumField, Holding } from '../../platform/http/fields.js';

export const ROW_HEIGHTS = ['compact', 'comfortable'] as const;
export const FILTERED_LISTS = ['skripts', 'runs', 'schedules'] as const;

const MAX_FILTERS = 50;
const MAX_NAME_CHARS = 60;
const MAX_QUERY_CHARS = 1_000;

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    // PostgreSQL cannot store these in JSON: NUL, and halves of surrogate pairs.
    .refine(value => !value.includes('\u0000') && !/\p{Cs}/u.test(value), 'must be text without NUL characters');

const savedFilters = z
  .array(z.strictObject({ list: z.enum(FILTERED_LISTS), name: text(MAX_NAME_CHARS), query: text(MAX_QUERY_CHARS) }))
  .max(MAX_FILTERS);

class SavedFilterDto {
  @ApiProperty({ enum: FILTERED_LISTS })
  list!: (typeof FILTERED_LISTS)[number];
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME_CHARS, example: 'Failed prices' })
  name!: string;
  @ApiProperty({
    description: 'The query of the list’s address in the panel.',
    minLength: 1,
    maxLength: MAX_QUERY_CHARS,
    example: 'action=error&tag=prices',
  })
  query!: string;
}

const rows = { description: 'Height of the rows in the panel’s lists.' };
const FILTERS = 'Filters of lists in the panel, with the names that you gave them.';

export class UpdatePreferencesDto {
  @EnumField(ROW_HEIGHTS, { ...rows, optional: true })
  rows?: PreferencesDto['rows'];

  @ApiPropertyOptional({ description: FILTERS, type: [SavedFilterDto], maxItems: MAX_FILTERS })
  // `preferencesIn` checks the items.
  @Holding('any JSON')
  @Allow()
  saved_filters?: unknown;
}

/** Preferences of an account for the panel. */
export class PreferencesDto {
  @ApiProperty({ ...rows, enum: ROW_HEIGHTS })
  rows!: (typeof ROW_HEIGHTS)[number];
  @ApiProperty({ description: FILTERS, type: [SavedFilterDto] })
  saved_filters!: SavedFilterDto[];
}

export const DEFAULT_PREFERENCES: PreferencesDto = { rows: 'compact', saved_filters: [] };

/**
 * Returns the fields that a request sets.
 * @throws {ApiError} 400 naming the field.
 */
export function preferencesIn({ rows: height, saved_filters: sent }: UpdatePreferencesDto): Partial<PreferencesDto> {
  const changes: Partial<PreferencesDto> = height === undefined ? {} : { rows: height };
  if (sent === undefined) return changes;
  const list = savedFilters.safeParse(sent);
  if (list.success) return { ...changes, saved_filters: list.data };
  const [issue] = list.error.issues;
  const field = ['saved_filters', ...(issue?.path ?? [])].join('.');
  const message = `${field}: ${issue?.message ?? 'malformed'}`;
  throw new ApiError('validation_failed', message, [{ field, message }]);
}
