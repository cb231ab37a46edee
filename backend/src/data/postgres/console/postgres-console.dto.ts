import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, JsonField, StringField, UuidField } from '../../../platform/http/fields.js';

const MAX_SQL_CHARS = 100_000;

export class PostgresQueryDto {
  @StringField({
    description: 'One SQL statement. Write `$1`, `$2`, … for parameters.',
    example: 'SELECT title, price FROM books WHERE price < $1 ORDER BY price',
    min: 1,
    max: MAX_SQL_CHARS,
  })
  sql!: string;

  @JsonField({
    description:
      'List of the values of `$1`, `$2`, …. PostgreSQL converts them to the types that the statement needs. Objects and lists become JSON text.',
    example: [10],
    optional: true,
  })
  params?: unknown;

  @BooleanField({
    description: 'Execute the statement in a read-only transaction. Send `false` for statements that change data.',
    optional: true,
    default: true,
  })
  read_only = true;

  @UuidField({
    description: 'An id of your choice, with which you can cancel the query while it runs.',
    example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
    optional: true,
  })
  query_id?: string;
}

export class PostgresFieldDto {
  @ApiProperty({ example: 'price' })
  name!: string;

  @ApiProperty({ description: 'Type as PostgreSQL writes it.', example: 'numeric' })
  type!: string;
}

export class PostgresQueryResultDto {
  @ApiProperty({ description: 'Command that PostgreSQL executed.', example: 'SELECT' })
  command!: string;

  @ApiProperty({ description: 'The columns of the result.', type: [PostgresFieldDto] })
  fields!: PostgresFieldDto[];

  @ApiProperty({
    description:
      'Rows as lists of values, in the order of `fields`. `bigint`, `numeric` and other values that JSON cannot hold exactly are text.',
    type: 'array',
    items: { type: 'array', items: {} },
    example: [['Knots', '9.00']],
  })
  rows!: unknown[][];

  @ApiProperty({
    description: 'Number of rows that the statement returned or changed. Null if PostgreSQL does not count them.',
    type: 'integer',
    nullable: true,
    example: 1,
  })
  row_count!: number | null;

  @ApiProperty({
    description:
      'True if the result has more than 1,000 rows or 4 MB, and `rows` contains only the first rows. PostgreSQL stops there: a `SELECT` that calls a function for each row calls it only for these rows.',
    example: false,
  })
  truncated!: boolean;

  @ApiProperty({ description: 'Duration of the query, in milliseconds.', type: 'integer', example: 12 })
  duration_ms!: number;
}

export class PostgresCancelDto {
  @ApiProperty({ description: 'False if no query with this id is running.', example: true })
  cancelled!: boolean;
}
