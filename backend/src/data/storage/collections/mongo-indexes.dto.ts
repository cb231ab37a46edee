import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BooleanField, IntField, JsonField, StringField } from '../../../platform/http/fields.js';

const KEY_KINDS = [1, -1, 'text', '2dsphere', 'hashed'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export class NewMongoIndexDto {
  @JsonField({
    description:
      'Fields in index order, each with `1` (ascending), `-1` (descending), `"text"`, `"2dsphere"` or `"hashed"`.',
    example: { price: -1, _id: -1 },
  })
  keys!: unknown;

  @StringField({
    description: 'Name of the index. By default MongoDB derives it from the fields.',
    example: 'cheap-first',
    min: 1,
    max: 100,
    optional: true,
    pattern: /^[^*$]*$/,
    expected: 'a name without * and $',
  })
  name?: string;

  @BooleanField({
    description: 'Refuse documents that have the same values in these fields as another document.',
    optional: true,
    default: false,
  })
  unique = false;

  @BooleanField({ description: 'Leave out documents that have none of the fields.', optional: true, default: false })
  sparse = false;

  @IntField({
    description:
      'Delete each document this many seconds after the date in the indexed field. Only for an index of one field.',
    example: 604_800,
    min: 0,
    max: 2_147_483_647,
    optional: true,
  })
  expire_after_s?: number;
}

export class MongoIndexDto {
  @ApiProperty({ example: 'price_-1__id_-1' })
  name!: string;

  @ApiProperty({
    description: 'Fields in index order.',
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
    example: { price: -1, _id: -1 },
  })
  keys!: Record<string, KeyKind>;

  @ApiProperty()
  unique!: boolean;

  @ApiProperty()
  sparse!: boolean;

  @ApiPropertyOptional({ description: 'Only present when the index makes documents expire.', type: 'integer' })
  expire_after_s?: number;
}

export const isKeyKind = (value: unknown): value is KeyKind => (KEY_KINDS as readonly unknown[]).includes(value);
