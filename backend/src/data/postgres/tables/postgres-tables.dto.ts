import { ApiProperty } from '@nestjs/swagger';
import { IntField, StringField } from '../../../platform/http/fields.js';
import { MAX_LIMIT, MAX_SKIP } from '../../../platform/http/lists/list-query.js';
import { GroupDto } from '../../storage/documents/groups.dto.js';

/** PostgreSQL cuts longer names. */
const NAME_BYTES = 63;

export const TABLE_KINDS = ['table', 'view', 'materialized view'] as const;

const schemaName = { description: 'Name of the schema.', example: 'public', max: NAME_BYTES, default: 'public' };

/** Tables are sorted by schema and name. */
export class PostgresTablesQuery {
  @IntField({ description: 'Maximum number of tables to return.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @IntField({ description: 'Number of tables to skip.', min: 0, max: MAX_SKIP, default: 0, optional: true })
  skip = 0;
}

export class PostgresTableQuery {
  @StringField({ ...schemaName, optional: true })
  schema = 'public';
}

export class PostgresRowsQuery extends PostgresTableQuery {
  @IntField({ description: 'Maximum number of rows to return.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @IntField({ description: 'Number of rows to skip.', min: 0, max: MAX_SKIP, default: 0, optional: true })
  skip = 0;

  @StringField({
    description:
      'Columns to sort by, separated by commas. Put `-` before a column for descending order. Default: the primary key.',
    example: '-price,title',
    max: 500,
    optional: true,
  })
  sort?: string;
}

export class PostgresGroupsQuery extends GroupDto {
  @StringField({ ...schemaName, optional: true })
  schema = 'public';
}

export class PostgresTableDto {
  @ApiProperty({ description: 'Schema of the table.', example: 'public' })
  schema!: string;

  @ApiProperty({ example: 'books' })
  name!: string;

  @ApiProperty({ description: 'Kind of the table.', enum: TABLE_KINDS, example: 'table' })
  kind!: string;

  @ApiProperty({
    description: 'Number of rows, as PostgreSQL last estimated it. Null before the first estimate, and for views.',
    type: 'integer',
    nullable: true,
    example: 1000,
  })
  estimated_rows!: number | null;

  @ApiProperty({ description: 'Size of the table with its indexes, in bytes.', type: 'integer', example: 122_880 })
  size!: number;
}

export class PostgresColumnDto {
  @ApiProperty({ example: 'price' })
  name!: string;

  @ApiProperty({ description: 'Type as PostgreSQL writes it.', example: 'numeric(10,2)' })
  type!: string;

  @ApiProperty({ description: 'Whether a value may be null.', example: true })
  nullable!: boolean;

  @ApiProperty({ description: 'SQL expression of the default value.', type: String, nullable: true, example: null })
  default!: string | null;

  @ApiProperty({ description: 'Whether the column is part of the primary key.', example: false })
  primary_key!: boolean;
}

export class PostgresTableDetailsDto extends PostgresTableDto {
  @ApiProperty({ type: [PostgresColumnDto] })
  columns!: PostgresColumnDto[];
}

export class PostgresRowsDto {
  @ApiProperty({ description: 'Number of rows, counted up to 10,000.', type: 'integer', example: 2 })
  total!: number;

  @ApiProperty({ description: '`true` if there are more rows than `total` says.', required: false })
  total_capped?: boolean;

  @ApiProperty({ type: 'integer', description: 'The `limit` of the request.', example: 50 })
  limit!: number;

  @ApiProperty({ type: 'integer', description: 'The `skip` of the request.', example: 0 })
  skip!: number;

  @ApiProperty({
    description: 'Rows as objects. `bigint`, `numeric` and other values that JSON cannot hold exactly are text.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ id: 1, title: 'Sails' }],
  })
  items!: Record<string, unknown>[];
}
