import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ANY_JSON, BooleanField, EnumField, IntField, JsonField, StringField } from '../common/fields.js';
import { MAX_CURSOR_CHARS, MAX_LIMIT, MAX_SKIP } from '../common/list-query.js';

export const MAX_NEW_DOCUMENTS = 1_000;

const ID_TYPES = ['objectId', 'string', 'number'] as const;
export type IdType = (typeof ID_TYPES)[number];

class MongoSelectQuery {
  @StringField({
    description:
      'Fields to answer, comma-separated, or those to leave out, each with `-` before it. `_id` always comes.',
    example: 'title,price',
    max: 500,
    optional: true,
  })
  select?: string;
}

const filterField = {
  description:
    'Which documents, as a filter of MongoDB in Extended JSON. Operators that run code or leave the database are refused by name.',
  example: '{"price":{"$lt":20}}',
  max: 10_000,
  optional: true,
};

export class MongoFilterQuery {
  @StringField(filterField)
  filter?: string;
}

export class MongoListQuery extends MongoSelectQuery {
  @StringField(filterField)
  filter?: string;

  @IntField({ description: 'How many documents at most.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @IntField({
    description: `How many documents to pass over; beyond ${MAX_SKIP}, go on with \`after\`.`,
    min: 0,
    max: MAX_SKIP,
    default: 0,
    optional: true,
  })
  skip = 0;

  @StringField({
    description:
      '`next` of the page before, with the same sort and filter: the page that follows it, however deep. Costs the same for each page where an index has the sorted fields and `_id` behind them.',
    min: 1,
    max: MAX_CURSOR_CHARS,
    optional: true,
  })
  after?: string;

  @StringField({
    description:
      'Fields to sort by, comma-separated, `-` before one for descending. By default the newest `_id` first; `_id` comes last of itself.',
    example: '-price,title',
    max: 200,
    optional: true,
  })
  sort?: string;
}

export class MongoDistinctQuery extends MongoFilterQuery {
  @StringField({
    description: 'The field whose values are asked for; of a list, each of its items counts.',
    example: 'rating',
    min: 1,
    max: 200,
    pattern: /^[^$.][^$]*$/,
    expected: 'the name of a field',
  })
  field!: string;

  @IntField({ description: 'How many values at most.', min: 1, max: MAX_LIMIT, default: MAX_LIMIT, optional: true })
  limit = MAX_LIMIT;
}

export class NewMongoDocumentsDto {
  @JsonField({
    description: `Documents as Extended JSON, 1 to ${MAX_NEW_DOCUMENTS} of them. One without \`_id\` gets an ObjectId.`,
    example: [{ title: 'A Light in the Attic', price: 51.77 }],
  })
  documents!: unknown;

  @BooleanField({
    description: 'Stop at the first that cannot be stored; `false` stores the others as well.',
    optional: true,
    default: true,
  })
  ordered = true;
}

export class DeleteMongoDocumentsDto {
  @JsonField({
    description: 'Which documents to delete, as a filter of MongoDB. It cannot be empty: drop the collection instead.',
    example: { price: { $gte: 50 } },
  })
  filter!: unknown;
}

export class UpdateMongoDocumentsDto {
  @JsonField({
    description: 'Which documents to change, as a filter of MongoDB; `{}` is all.',
    example: { rating: 'One' },
  })
  filter!: unknown;

  @JsonField({
    description: 'What to change, with the update operators of MongoDB.',
    example: { $set: { checked: true }, $inc: { visits: 1 } },
  })
  update!: unknown;
}

export class MongoAggregateDto {
  @JsonField({
    description:
      'Stages of an aggregation of MongoDB, in Extended JSON. Stages that write, read another database or run code are refused by name.',
    example: [{ $group: { _id: '$rating', books: { $sum: 1 } } }, { $sort: { books: -1 } }],
  })
  pipeline!: unknown;

  @IntField({ description: 'How many results at most.', min: 1, max: MAX_LIMIT, default: 100, optional: true })
  limit = 100;
}

export class MongoCountDto {
  @ApiProperty({ description: 'How many documents match; at most 10,000.', type: 'integer', example: 420 })
  total!: number;

  @ApiPropertyOptional({ description: 'True when there are more than `total` says.' })
  total_capped?: boolean;
}

export class MongoDistinctDto {
  @ApiProperty({
    description: 'The values, each once, as relaxed Extended JSON.',
    type: 'array',
    items: ANY_JSON,
    example: ['One', 'Two'],
  })
  values!: unknown[];

  @ApiPropertyOptional({ description: 'True when there are more than `limit` values.' })
  truncated?: boolean;
}

export class InsertedDocumentsDto {
  @ApiProperty({ description: 'How many documents were stored.', type: 'integer', example: 1 })
  inserted!: number;

  @ApiProperty({
    description: 'The `_id` of each, in their order, as relaxed Extended JSON.',
    type: 'array',
    items: ANY_JSON,
    example: [{ $oid: '64b7f0c2a1d3e4f5a6b7c8d9' }],
  })
  ids!: unknown[];
}

export class UpdatedDocumentsDto {
  @ApiProperty({ description: 'How many documents the filter found.', type: 'integer', example: 12 })
  matched!: number;

  @ApiProperty({ description: 'How many of them are different now.', type: 'integer', example: 12 })
  modified!: number;
}

const idType = {
  description:
    'What the `_id` in the path is. Without it, 24 hex digits are an ObjectId, then a string; anything else is a string, then a number.',
  optional: true,
};

export class MongoIdQuery {
  @EnumField(ID_TYPES, idType)
  id_type?: IdType;
}

export class MongoGetQuery extends MongoSelectQuery {
  @EnumField(ID_TYPES, idType)
  id_type?: IdType;
}
