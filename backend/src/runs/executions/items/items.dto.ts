import { ApiProperty } from '@nestjs/swagger';
import { CHANGE_KINDS, type ChangeKind, MERGE_STATES, type MergeState } from '@trawl/contracts';
import { BooleanField, DateTimeField, EnumField, IntField, StringField } from '../../../platform/http/fields.js';
import { MAX_CURSOR_CHARS, MAX_LIMIT, MAX_SKIP, PageDto } from '../../../platform/http/lists/list-query.js';

const MAX_FIELD_CHARS = 500;
const KEY = '{"sku":"B01"}';
const FIELD = 'The path of a field, such as `price` or `shop.city`.';

class ItemsPageQuery {
  @IntField({ description: 'Maximum number of items to return.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @IntField({
    description: `Number of items to skip. Use \`after\` to go beyond ${MAX_SKIP}.`,
    min: 0,
    max: MAX_SKIP,
    default: 0,
    optional: true,
  })
  skip = 0;

  @StringField({
    description: 'Cursor of the page to return: `next` of the previous page, with the same filters.',
    min: 1,
    max: MAX_CURSOR_CHARS,
    optional: true,
  })
  after?: string;
}

export class RunChangesQuery extends ItemsPageQuery {
  @EnumField(CHANGE_KINDS, { description: 'Only changes of this kind.', optional: true })
  kind?: ChangeKind;

  @StringField({
    description: `Only changes of this field. ${FIELD}`,
    example: 'price',
    min: 1,
    max: MAX_FIELD_CHARS,
    optional: true,
  })
  field?: string;
}

export class ItemsQuery extends ItemsPageQuery {
  @BooleanField({ description: '`true`: only items that are gone. `false`: only those that are not.', optional: true })
  gone?: boolean;

  @DateTimeField({ description: 'Only items that changed at this time or later.', optional: true })
  changed_since?: string;

  @StringField({
    description: 'Only items whose key contains this text. Upper and lower case are the same.',
    example: 'B01',
    min: 1,
    max: MAX_FIELD_CHARS,
    optional: true,
  })
  key?: string;
}

export class ItemHistoryQuery extends ItemsPageQuery {
  @StringField({
    description: `Only changes of this field. ${FIELD}`,
    example: 'price',
    min: 1,
    max: MAX_FIELD_CHARS,
    optional: true,
  })
  field?: string;
}

export class ItemsMedianQuery {
  @StringField({ description: FIELD, example: 'price', min: 1, max: MAX_FIELD_CHARS })
  field!: string;
}

export class ChangeDto {
  @ApiProperty({ format: 'uuid', description: 'The run that found the change.' })
  execution_id!: string;
  @ApiProperty({
    enum: CHANGE_KINDS,
    description:
      '`added`: no run had this key before. `changed`: fields have other values. `gone`: the run did not find the item. `back`: the run found it again.',
  })
  kind!: ChangeKind;
  @ApiProperty({ description: 'Id of the item: 32 hexadecimal digits.', example: '5f1d0c2ab3e4978665d2a0c1f4b3e2d1' })
  item_id!: string;
  @ApiProperty({ description: 'The key: JSON of its fields and their values.', example: KEY })
  key!: string;
  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: {
      type: 'object',
      required: ['was', 'now'],
      properties: { was: { description: 'The value before.' }, now: { description: 'The value that the run stored.' } },
    },
    description:
      'The fields that changed, by their dotted paths: at most 200. A field without a value is null. `null` for items that are added or gone.',
    example: { price: { was: 12.5, now: 9.99 } },
  })
  fields!: Record<string, { was: unknown; now: unknown }> | null;
  @ApiProperty({ format: 'date-time', description: 'When the run ended.' })
  at!: string;
}

class ChangeCountsDto {
  @ApiProperty({ type: 'integer', example: 12 })
  added!: number;
  @ApiProperty({ type: 'integer', example: 31 })
  changed!: number;
  @ApiProperty({ type: 'integer', example: 4 })
  gone!: number;
  @ApiProperty({ type: 'integer', example: 1 })
  back!: number;
}

export class RunChangesDto extends PageDto {
  @ApiProperty({
    enum: MERGE_STATES,
    description:
      '`none`: the run has no rows with a key, or did not end well. `waiting`: Trawl has not merged its rows yet, or the verdict is `broken` and you have not accepted it. `merged`: the list is complete. `older`: a run with the same input that started later was merged first, so this one changes nothing. `failed`: each of several attempts failed; `items` are the changes that they stored, and all `counts` are 0. The next run continues from there.',
  })
  state!: MergeState;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the merge failed; null in every other state.',
    example: null,
  })
  reason!: string | null;
  @ApiProperty({ type: ChangeCountsDto, description: 'The number of all changes of the run, by kind.' })
  counts!: ChangeCountsDto;
  @ApiProperty({ type: [ChangeDto], description: 'The changes of this page, at most `limit`.' })
  items!: ChangeDto[];
}

export class ItemDto {
  @ApiProperty({ description: '32 hexadecimal digits.', example: '5f1d0c2ab3e4978665d2a0c1f4b3e2d1' })
  id!: string;
  @ApiProperty({ description: 'The key: JSON of its fields and their values.', example: KEY })
  key!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The row that a run stored last. Types that JSON lacks are text.',
    example: { sku: 'B01', title: 'Emma', price: 9.99 },
  })
  fields!: Record<string, unknown>;
  @ApiProperty({ format: 'date-time' })
  first_seen!: string;
  @ApiProperty({ format: 'date-time' })
  last_seen!: string;
  @ApiProperty({ format: 'date-time', description: 'When the item was added, changed, gone or back.' })
  changed_at!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When a run did not find the item; null if the last run found it.',
    example: null,
  })
  gone_at!: string | null;
}

class MedianPointDto {
  @ApiProperty({ format: 'uuid' })
  execution_id!: string;
  @ApiProperty({ format: 'date-time', description: 'When the run ended.' })
  at!: string;
  @ApiProperty({ example: 14.5, description: 'Half of the numbers are lower.' })
  median!: number;
  @ApiProperty({ example: 4.99, description: '5 % of the numbers are lower.' })
  low!: number;
  @ApiProperty({ example: 89, description: '5 % of the numbers are higher.' })
  high!: number;
}

export class ItemsMedianDto {
  @ApiProperty({ example: 'price' })
  field!: string;
  @ApiProperty({
    type: [String],
    description: 'The paths of all fields with numbers that the items have now: at most 200.',
    example: ['price', 'shop.stock'],
  })
  fields!: string[];
  @ApiProperty({
    type: [MedianPointDto],
    description: 'The newest 500 merged runs after which items had numbers in the field, the oldest first.',
  })
  points!: MedianPointDto[];
}
