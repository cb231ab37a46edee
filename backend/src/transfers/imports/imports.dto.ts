import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { API_ERRORS, type ApiErrorCode } from '@trawl/contracts';
import { EntityDto } from '../../platform/common/entity.js';
import { BooleanField, EnumField, IntField, JsonField, StringField } from '../../platform/http/fields.js';
import { VisibleName } from '../../platform/http/file-name.js';
import { DatabaseIdField } from '../../platform/http/names/named-ids.js';
import { DELIMITER_NAMES, type Delimiter } from './parsing/csv-rows.js';
import { ENCODINGS, type Encoding } from './parsing/encodings.js';
import { FORMATS, type Format } from './reading/rows.js';
import { DECIMAL_MARKS, type DecimalMark } from './values/cell-types.js';

export const IMPORT_STATES = ['uploaded', 'queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export class UploadQuery {
  @StringField({
    description:
      'Name of the file. Its ending tells Trawl the format: csv, tsv, txt, ndjson, jsonl or json, also with .gz, xlsx or parquet.',
    example: 'books.csv',
    min: 1,
    max: 200,
    optional: true,
  })
  @VisibleName()
  file_name = 'upload';
}

/** How to read a file. Fields of requests and of queries. */
export class ReadingDto {
  @EnumField(FORMATS, {
    description:
      '`csv`, `ndjson` (a JSON object a line), `extjson` (MongoDB Extended JSON, a document a line), `json` (an array of objects), `xlsx` (a sheet of a workbook) or `parquet`. By default Trawl derives it from name and content.',
    optional: true,
  })
  format?: Format;

  @EnumField(ENCODINGS, {
    description:
      'Character encoding, by its WHATWG name. By default Trawl detects it. Check the preview, because the bytes do not always show the encoding.',
    optional: true,
  })
  encoding?: Encoding;

  @EnumField(DELIMITER_NAMES, {
    description: 'CSV: character between cells. By default Trawl detects it.',
    optional: true,
  })
  delimiter?: Delimiter;

  @IntField({
    description:
      'CSV and XLSX: number of lines above the header that are not rows, such as titles and `sep=;`. By default Trawl detects them.',
    example: 2,
    min: 0,
    max: 1_000,
    optional: true,
  })
  skip_lines?: number;

  @StringField({
    description:
      'XLSX: name of the sheet. By default the first one that has rows. The preview lists the names of all sheets.',
    example: 'Orders',
    min: 1,
    max: 300,
    optional: true,
  })
  sheet?: string;

  @BooleanField({
    description: 'CSV and XLSX: whether the first row has the names of the columns.',
    default: true,
    optional: true,
  })
  header?: boolean;

  @EnumField(DECIMAL_MARKS, {
    description: 'CSV: character before the decimals of numbers. With `comma`, points may group the digits: `1.234,5`.',
    default: 'point',
    optional: true,
  })
  decimal_mark?: DecimalMark;
}

const table = () =>
  StringField({
    description:
      'Name of a table in your PostgreSQL database, instead of `db_id` and `collection`. Created if it does not exist.',
    example: 'books',
    max: 300,
    optional: true,
  });

const schema = () =>
  StringField({
    description: 'Schema of the table.',
    example: 'public',
    default: 'public',
    max: 300,
    optional: true,
  });

export class PreviewQuery extends ReadingDto {
  @table()
  table?: string;

  @schema()
  schema = 'public';
}

export class StartImportDto extends ReadingDto {
  @DatabaseIdField({ description: 'The MongoDB database of the collection.', optional: true })
  db_id?: string;

  @StringField({
    description: 'Name of the collection. Created if it does not exist.',
    example: 'books',
    max: 300,
    optional: true,
  })
  collection?: string;

  @table()
  table?: string;

  @schema()
  schema = 'public';

  @JsonField({
    description:
      'The columns to import, each with its `index` in the file from 0, its `field` and its `type`. Without a `type`, Trawl guesses it, and a later cell that does not fit the guess is bad; a type that you send converts the cells. For a collection only of CSV, XLSX and Parquet: `address.city` leads into an object, and the types are `text`, `number`, `boolean`, `date`, `object_id`, `binary` and `json`. For a table of all formats, with the names of its columns; the types of a new table are `text`, `bigint`, `numeric`, `double precision`, `boolean`, `date`, `timestamptz`, `timestamp`, `time`, `uuid`, `bytea` and `jsonb`, and an existing one has its own. By default all columns, as the preview suggests.',
    example: [{ index: 0, field: 'title', type: 'text' }],
    optional: true,
  })
  columns?: unknown;

  @JsonField({
    description:
      'Names of fields, or of columns of a table. A row updates the document or row that has the same values in them: it sets the fields of the row and keeps all others. If there is no such document or row, it adds one. An existing collection or table needs a unique index on exactly these fields, unless the key is `_id`. By default, and with an empty list, every row adds a document.',
    example: ['isbn'],
    optional: true,
  })
  key?: unknown;

  @BooleanField({
    description: 'Import the good rows even if others are bad. By default a bad row fails the import.',
    default: false,
    optional: true,
  })
  skip_bad_rows = false;
}

export class ImportDto extends EntityDto {
  @ApiProperty({ description: 'Name of the uploaded file.', example: 'books.csv' })
  file_name!: string;

  @ApiProperty({ description: 'Size of the uploaded file.', type: 'integer', example: 482_113 })
  bytes!: number;

  @ApiProperty({
    description:
      'Encoding that Trawl detected; null for a workbook or Parquet. For a file that is compressed with gzip, it is the encoding of the text inside.',
    type: String,
    enum: ENCODINGS,
    nullable: true,
    example: 'utf-8',
  })
  encoding!: Encoding | null;

  @ApiProperty({ description: '`uploaded` until you start it.', enum: IMPORT_STATES, example: 'done' })
  state!: ImportState;

  @ApiProperty({
    description: 'Null until you start it with a collection.',
    type: String,
    format: 'uuid',
    nullable: true,
  })
  db_id!: string | null;

  @ApiProperty({
    description: 'Null until you start it with a collection.',
    type: String,
    nullable: true,
    example: 'books',
  })
  collection!: string | null;

  @ApiProperty({ description: 'Null unless you start it with a table.', type: String, nullable: true, example: null })
  schema!: string | null;

  @ApiProperty({ description: 'Null unless you start it with a table.', type: String, nullable: true, example: null })
  table!: string | null;

  @ApiProperty({ description: 'Number of rows that cannot be imported.', type: 'integer', example: 2 })
  bad_rows!: number;

  @ApiProperty({ description: 'Number of rows read so far.', type: 'integer', example: 5_000 })
  rows_read!: number;

  @ApiProperty({ description: 'Number of rows stored so far.', type: 'integer', example: 5_000 })
  rows_moved!: number;

  @ApiProperty({
    description: 'Number of documents or rows added; null until the import is done.',
    type: 'integer',
    nullable: true,
    example: 4_998,
  })
  inserted!: number | null;

  @ApiProperty({
    description: 'Number of documents or rows updated; null until the import is done.',
    type: 'integer',
    nullable: true,
    example: 0,
  })
  updated!: number | null;

  @ApiProperty({
    description: 'Why it failed, for programs; null if it did not.',
    type: String,
    enum: Object.keys(API_ERRORS),
    nullable: true,
    example: null,
  })
  error_code!: ApiErrorCode | null;

  @ApiProperty({ description: 'Why it failed, for people.', type: String, nullable: true, example: null })
  error_message!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When a backend started it.' })
  started_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it ended.' })
  ended_at!: string | null;
}

export class ImportColumnDto {
  @ApiProperty({ description: 'Position in the file, from 0.', type: 'integer', example: 0 })
  index!: number;

  @ApiProperty({ description: 'Name in the header.', example: 'Title' })
  name!: string;

  @ApiProperty({ description: 'Field that Trawl suggests.', example: 'Title' })
  field!: string;

  @ApiProperty({
    description: 'Type that fits all cells of the first rows, or the type of the column of the table.',
    example: 'text',
  })
  type!: string;
}

export class BadRowDto {
  @ApiProperty({ description: 'Number of the row, from 1, not counting the header.', type: 'integer', example: 17 })
  row!: number;

  @ApiProperty({ example: 'The row has 6 cells; the file has 5 columns.' })
  reason!: string;
}

export class ImportPreviewDto {
  @ApiProperty({ enum: FORMATS, example: 'csv' })
  format!: Format;

  @ApiPropertyOptional({ description: 'Not of XLSX and Parquet.', enum: ENCODINGS, example: 'utf-8' })
  encoding?: Encoding;

  @ApiPropertyOptional({ enum: DELIMITER_NAMES, description: 'CSV only.', example: 'comma' })
  delimiter?: Delimiter;

  @ApiPropertyOptional({ description: 'CSV and XLSX only: lines above the header.', type: 'integer', example: 0 })
  skip_lines?: number;

  @ApiPropertyOptional({
    description: 'XLSX only: the names of all sheets in their order, also of hidden ones.',
    type: [String],
    example: ['Orders', 'Customers'],
  })
  sheets?: string[];

  @ApiPropertyOptional({ description: 'XLSX only: name of the sheet that is read.', example: 'Orders' })
  sheet?: string;

  @ApiProperty({
    description: 'The columns of CSV, XLSX and Parquet, and for a table of all formats. Otherwise empty.',
    type: [ImportColumnDto],
  })
  columns!: ImportColumnDto[];

  @ApiPropertyOptional({
    description: 'The columns of the table; null if the import will create it. Only in a preview for a table.',
    type: [String],
    nullable: true,
    example: ['title', 'price'],
  })
  table_columns?: string[] | null;

  @ApiProperty({
    description:
      'The first documents that the import would store, as Extended JSON. For a table the first rows, with the texts that PostgreSQL reads. Up to 5 later rows with characters beyond ASCII follow, because they show whether the encoding is right.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ Title: 'Emma' }],
  })
  documents!: Record<string, unknown>[];

  @ApiProperty({ description: 'Bad rows among the first 1,000, at most 20.', type: [BadRowDto] })
  bad_rows!: BadRowDto[];
}
