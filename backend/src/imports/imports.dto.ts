import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { API_ERRORS, type ApiErrorCode } from '@trawl/contracts';
import { EntityDto } from '../common/entity.js';
import { BooleanField, EnumField, IntField, JsonField, StringField } from '../http/fields.js';
import { VisibleName } from '../http/file-name.js';
import { DatabaseIdField } from '../http/named-ids.js';
import { DELIMITER_NAMES, type Delimiter } from './parsing/csv-rows.js';
import { ENCODINGS, type Encoding } from './parsing/encodings.js';
import { FORMATS, type Format } from './reading/rows.js';
import { CELL_TYPES, type CellType, DECIMAL_MARKS, type DecimalMark } from './values/cell-types.js';
import type { Column } from './values/columns.js';

export const IMPORT_STATES = ['uploaded', 'queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export class UploadQuery {
  @StringField({
    description:
      'Name of the file. Its ending tells Trawl the format: csv, tsv, txt, ndjson, jsonl or json, also with .gz, or xlsx.',
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
      '`csv`, `ndjson` (a JSON object a line), `extjson` (MongoDB Extended JSON, a document a line), `json` (an array of objects) or `xlsx` (the first sheet of a workbook). By default Trawl derives it from name and content.',
    optional: true,
  })
  format?: Format;

  @EnumField(ENCODINGS, {
    description:
      'Character encoding, by its WHATWG name. By default Trawl detects it. Look at the preview: bytes do not say for sure.',
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
      'CSV and XLSX: number of lines above the header that are no rows, such as titles and `sep=;`. By default Trawl detects them.',
    example: 2,
    min: 0,
    max: 1_000,
    optional: true,
  })
  skip_lines?: number;

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

export class StartImportDto extends ReadingDto {
  @DatabaseIdField({ description: 'The database of the collection.' })
  db_id!: string;

  @StringField({ description: 'Name of the collection. Created if it does not exist.', example: 'books', max: 300 })
  collection!: string;

  @JsonField({
    description:
      'CSV and XLSX: the columns to import, each with its `index` in the file from 0, its `field` (`address.city` leads into an object) and its `type`: `text`, `number`, `boolean`, `date`, `object_id` or `json`. By default all columns, as the preview suggests.',
    example: [{ index: 0, field: 'title', type: 'text' }],
    optional: true,
  })
  columns?: unknown;

  @JsonField({
    description:
      'Names of fields. A row updates the document that has the same values in them: it sets the fields of the row and keeps all others. A row without such a document adds one. An existing collection needs a unique index on exactly these fields, unless the key is `_id`. By default every row adds a document.',
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

  @ApiProperty({ description: 'Encoding that Trawl detected.', enum: ENCODINGS, example: 'utf-8' })
  encoding!: Encoding;

  @ApiProperty({ description: '`uploaded` until you start it.', enum: IMPORT_STATES, example: 'done' })
  state!: ImportState;

  @ApiProperty({ description: 'Null until you start it.', type: String, format: 'uuid', nullable: true })
  db_id!: string | null;

  @ApiProperty({ description: 'Null until you start it.', type: String, nullable: true, example: 'books' })
  collection!: string | null;

  @ApiProperty({ description: 'Number of rows that cannot be imported.', type: 'integer', example: 2 })
  bad_rows!: number;

  @ApiProperty({ description: 'Number of rows read so far.', type: 'integer', example: 5_000 })
  rows_read!: number;

  @ApiProperty({ description: 'Number of rows moved into the collection so far.', type: 'integer', example: 5_000 })
  rows_moved!: number;

  @ApiProperty({
    description: 'Number of documents added; null until the import is done.',
    type: 'integer',
    nullable: true,
    example: 4_998,
  })
  inserted!: number | null;

  @ApiProperty({
    description: 'Number of documents updated; null until the import is done.',
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

export class ImportColumnDto implements Column {
  @ApiProperty({ description: 'Position in the file, from 0.', type: 'integer', example: 0 })
  index!: number;

  @ApiProperty({ description: 'Name in the header.', example: 'Title' })
  name!: string;

  @ApiProperty({ description: 'Field that Trawl suggests.', example: 'Title' })
  field!: string;

  @ApiProperty({ description: 'Type that fits all cells of the first rows.', enum: CELL_TYPES, example: 'text' })
  type!: CellType;
}

export class BadRowDto {
  @ApiProperty({ description: 'Number of the row, from 1 without the header.', type: 'integer', example: 17 })
  row!: number;

  @ApiProperty({ example: 'The row has 6 cells; the file has 5 columns.' })
  reason!: string;
}

export class ImportPreviewDto {
  @ApiProperty({ enum: FORMATS, example: 'csv' })
  format!: Format;

  @ApiProperty({ enum: ENCODINGS, example: 'utf-8' })
  encoding!: Encoding;

  @ApiPropertyOptional({ enum: DELIMITER_NAMES, description: 'CSV only.', example: 'comma' })
  delimiter?: Delimiter;

  @ApiPropertyOptional({ description: 'CSV and XLSX only: lines above the header.', type: 'integer', example: 0 })
  skip_lines?: number;

  @ApiProperty({ description: 'The columns of CSV and XLSX. Empty for other formats.', type: [ImportColumnDto] })
  columns!: ImportColumnDto[];

  @ApiProperty({
    description: 'The first documents that the import would store, as Extended JSON.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ Title: 'Emma' }],
  })
  documents!: Record<string, unknown>[];

  @ApiProperty({ description: 'Bad rows among the first 1,000, at most 20.', type: [BadRowDto] })
  bad_rows!: BadRowDto[];
}
