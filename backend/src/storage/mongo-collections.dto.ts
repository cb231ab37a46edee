import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BooleanField, IntField, JsonField, StringField } from '../common/fields.js';
import { MAX_LIMIT, MAX_SKIP } from '../common/list-query.js';

/** Collections come sorted by name. */
export class MongoCollectionsQuery {
  @IntField({ description: 'How many collections at most.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @IntField({ description: 'How many collections to pass over.', min: 0, max: MAX_SKIP, default: 0, optional: true })
  skip = 0;
}

/** More than a name may have, so that the one message about names is the one that says what they may be. */
const NAME_CHARS = 300;

const newName = {
  description: 'A name that no collection of the database has.',
  example: 'books-2026',
  max: NAME_CHARS,
};

export class NewMongoCollectionDto {
  @StringField(newName)
  name!: string;
}

export class RenameMongoCollectionDto {
  @StringField(newName)
  to!: string;
}

export class CopyMongoCollectionDto {
  @StringField({ description: 'Name of the copy, in the same database.', example: 'books-2026', max: NAME_CHARS })
  to!: string;

  @BooleanField({
    description: 'Whether a collection that has this name already is replaced, once the copy is complete.',
    optional: true,
    default: false,
  })
  overwrite = false;
}

export class MongoCollectionDto {
  @ApiProperty({ example: 'books' })
  name!: string;

  @ApiProperty({ description: 'How many documents it has.', type: 'integer', example: 1000 })
  count!: number;

  @ApiProperty({ description: 'Bytes of its documents, before compression.', type: 'integer', example: 182_400 })
  size!: number;
}

export class MongoCollectionDetailsDto extends MongoCollectionDto {
  @ApiProperty({ description: 'Bytes on disk of its documents.', type: 'integer', example: 81_920 })
  storage_size!: number;

  @ApiProperty({ description: 'How many indexes it has.', type: 'integer', example: 2 })
  indexes!: number;

  @ApiProperty({ description: 'Bytes on disk of its indexes.', type: 'integer', example: 40_960 })
  index_size!: number;
}

const KEY_KINDS = [1, -1, 'text', '2dsphere', 'hashed'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export class NewMongoIndexDto {
  @JsonField({
    description:
      'The fields, in the order of their weight: `1` ascending, `-1` descending, `"text"`, `"2dsphere"` or `"hashed"`.',
    example: { price: -1, _id: -1 },
  })
  keys!: unknown;

  @StringField({
    description: 'By default made of the fields.',
    example: 'cheap-first',
    min: 1,
    max: 100,
    optional: true,
    pattern: /^[^*$]*$/,
    expected: 'a name without * and $',
  })
  name?: string;

  @BooleanField({ description: 'No two documents may have the same values.', optional: true, default: false })
  unique = false;

  @BooleanField({ description: 'Leaves out documents that have none of the fields.', optional: true, default: false })
  sparse = false;

  @IntField({
    description: 'Documents are deleted so many seconds after the date in the field; for an index of one field.',
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
    description: 'The fields, in the order of their weight.',
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
    example: { price: -1, _id: -1 },
  })
  keys!: Record<string, KeyKind>;

  @ApiProperty()
  unique!: boolean;

  @ApiProperty()
  sparse!: boolean;

  @ApiPropertyOptional({ description: 'Only of an index that lets documents expire.', type: 'integer' })
  expire_after_s?: number;
}

export const isKeyKind = (value: unknown): value is KeyKind => (KEY_KINDS as readonly unknown[]).includes(value);
