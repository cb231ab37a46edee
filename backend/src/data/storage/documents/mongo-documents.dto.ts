import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ANY_JSON, BooleanField, EnumField, IntField, JsonField, StringField } from '../../../platform/http/fields.js';
import { MAX_CURSOR_CHARS, MAX_LIMIT, MAX_SKIP } from '../../../platform/http/lists/list-query.js';

export const MAX_NEW_DOCUMENTS = 1_000;

export const ID_TYPES = ['objectId', 'string', 'number'] as const;
export type IdType = (typeof ID_TYPES)[number];

export const DOCUMENT_FORMATS = ['extended', 'relaxed'] as const;
export type JsonFormat = (typeof DOCUMENT_FORMATS)[number];

const format = {
  description: '`extended`: Extended JSON. `relaxed`: plain JSON, in which types that JSON lacks are text.',
  default: 'extended',
  optional: true,
};

export class MongoSelectQuery {
  @StringField({
    description:
      'Comma-separated fields to return, or fields to leave out, each prefixed with `-`. `_id` is always included.',
    example: 'title,price',
    max: 500,
    optional: true,
  })
  select?: string;
}

export const filterField = {
  description: 'MongoDB filter in Extended JSON. Trawl refuses operators that run code or reach outside the database.',
  example: '{"price":{"$lt":20}}',
  max: 10_000,
  optional: true,
};

export class MongoFilterQuery {
  @StringField(filterField)
  filter?: string;
}

/** The schema of a page of `items`, whose fields are not known. */
export const pageOf = (items: Record<string, unknown>) => ({
  type: 'object' as const,
  required: ['total', 'limit', 'skip', 'items'],
  properties: {
    total: { type: 'integer' as const },
    total_capped: { type: 'boolean' as const },
    limit: { type: 'integer' as const },
    skip: { type: 'integer' as const },
    next: {
      type: 'string' as const,
      description: 'Cursor of the next page: send it as `after`. Absent on the last page.',
    },
    items: { type: 'array' as const, items },
  },
});

/** One page of documents. */
export class MongoPageQuery extends MongoSelectQuery {
  @StringField(filterField)
  filter?: string;

  @IntField({
    description: 'Maximum number of documents to return.',
    min: 1,
    max: MAX_LIMIT,
    default: 50,
    optional: true,
  })
  limit = 50;

  @IntField({
    description: `Number of documents to skip, at most ${MAX_SKIP}. To go further, use \`after\` instead.`,
    min: 0,
    max: MAX_SKIP,
    default: 0,
    optional: true,
  })
  skip = 0;

  @StringField({
    description:
      'Cursor of the page to return: `next` of the previous page, with the same sort and filter. Every page is equally fast if an index has the sorted fields followed by `_id`.',
    min: 1,
    max: MAX_CURSOR_CHARS,
    optional: true,
  })
  after?: string;

  @StringField({
    description:
      'Comma-separated fields to sort by; prefix one with `-` for descending order. The default is `-_id`. Trawl appends `_id`.',
    example: '-price,title',
    max: 200,
    optional: true,
  })
  sort?: string;
}

export class MongoListQuery extends MongoPageQuery {
  @EnumField(DOCUMENT_FORMATS, format)
  format: JsonFormat = 'extended';
}

export class MongoDistinctQuery extends MongoFilterQuery {
  @StringField({
    description: 'Field whose values to list. Each item of a list counts as a value.',
    example: 'rating',
    min: 1,
    max: 200,
    pattern: /^[^$.][^$]*$/,
    expected: 'the name of a field',
  })
  field!: string;

  @IntField({
    description: 'Maximum number of values to return.',
    min: 1,
    max: MAX_LIMIT,
    default: MAX_LIMIT,
    optional: true,
  })
  limit = MAX_LIMIT;

  @EnumField(DOCUMENT_FORMATS, format)
  format: JsonFormat = 'extended';
}

export class NewMongoDocumentsDto {
  @JsonField({
    description: `1 to ${MAX_NEW_DOCUMENTS} documents in Extended JSON. A document without \`_id\` gets an ObjectId.`,
    example: [{ title: 'A Light in the Attic', price: 51.77 }],
  })
  documents!: unknown;

  @BooleanField({
    description: 'Stop at the first document that fails. `false` stores all others.',
    optional: true,
    default: true,
  })
  ordered = true;
}

export class DeleteMongoDocumentsDto {
  @JsonField({
    description:
      'MongoDB filter for the documents to delete. It must not be empty; to delete everything, drop the collection.',
    example: { price: { $gte: 50 } },
  })
  filter!: unknown;
}

export class UpdateMongoDocumentsDto {
  @JsonField({
    description: 'MongoDB filter for the documents to update; `{}` matches all.',
    example: { rating: 'One' },
  })
  filter!: unknown;

  @JsonField({
    description: 'MongoDB update operators.',
    example: { $set: { checked: true }, $inc: { visits: 1 } },
  })
  update!: unknown;
}

export class MongoAggregateDto {
  @JsonField({
    description:
      'Stages of a MongoDB aggregation in Extended JSON. Trawl refuses stages that write, read another database or run code.',
    example: [{ $group: { _id: '$rating', books: { $sum: 1 } } }, { $sort: { books: -1 } }],
  })
  pipeline!: unknown;

  @IntField({
    description: 'Maximum number of results to return.',
    min: 1,
    max: MAX_LIMIT,
    default: 100,
    optional: true,
  })
  limit = 100;

  @EnumField(DOCUMENT_FORMATS, format)
  format: JsonFormat = 'extended';
}

export class MongoCountDto {
  @ApiProperty({
    description: 'Number of matching documents. Counting stops at 10,000.',
    type: 'integer',
    example: 420,
  })
  total!: number;

  @ApiPropertyOptional({
    description: 'True if counting stopped at a limit: then more documents match than `total` says.',
  })
  total_capped?: boolean;
}

export class MongoDistinctDto {
  @ApiProperty({
    description: 'Distinct values in Extended JSON, or plain JSON with `format=relaxed`.',
    type: 'array',
    items: ANY_JSON,
    example: ['One', 'Two'],
  })
  values!: unknown[];

  @ApiPropertyOptional({ description: 'True if there are more than `limit` values.' })
  truncated?: boolean;
}

export class InsertedDocumentsDto {
  @ApiProperty({ description: 'Number of stored documents.', type: 'integer', example: 1 })
  inserted!: number;

  @ApiProperty({
    description: '`_id` of each document, in the order sent, in Extended JSON.',
    type: 'array',
    items: ANY_JSON,
    example: [{ $oid: '64b7f0c2a1d3e4f5a6b7c8d9' }],
  })
  ids!: unknown[];
}

export class UpdatedDocumentsDto {
  @ApiProperty({ description: 'Number of documents that match the filter.', type: 'integer', example: 12 })
  matched!: number;

  @ApiProperty({ description: 'Number of documents that changed.', type: 'integer', example: 12 })
  modified!: number;
}

const idType = {
  description:
    'Type of the `_id` in the path. By default Trawl tries 24 hex digits as an ObjectId, then as a string, and anything else as a string, then as a number.',
  optional: true,
};

export class MongoIdQuery {
  @EnumField(ID_TYPES, idType)
  id_type?: IdType;
}

export class MongoGetQuery extends MongoSelectQuery {
  @EnumField(DOCUMENT_FORMATS, format)
  format: JsonFormat = 'extended';

  @EnumField(ID_TYPES, idType)
  id_type?: IdType;
}
