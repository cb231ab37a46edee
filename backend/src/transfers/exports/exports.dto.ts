import { applyDecorators, type Type as ObjectType } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { API_ERRORS, type ApiErrorCode } from '@trawl/contracts';
import { Type } from 'class-transformer';
import { IsObject, ValidateIf, ValidateNested } from 'class-validator';
import { GroupDto } from '../../data/storage/documents/groups.dto.js';
import { EntityDto } from '../../platform/common/entity.js';
import { DateTimeField, EnumField, Holding, StringField, UuidField } from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';
import { DatabaseIdField } from '../../platform/http/names/named-ids.js';
import { JOB_STATES, type JobState } from '../../platform/jobs/job.entity.js';
import { DestinationDto, ShownDestinationDto } from './destinations/destination.dto.js';
import { ExportQuery } from './export-query.js';
import { FORMAT_NAMES, type FormatName } from './formats/formats.js';
import { SOURCE_NAMES, type SourceName } from './sources/export-sources.service.js';

const ObjectField = (type: ObjectType, description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type, description }),
    ValidateIf((_, value) => value !== undefined),
    IsObject(),
    ValidateNested(),
    Type(() => type),
    Holding({ fieldsOf: type }),
  );

/** The content of an export, and its destination. Exports and exporters share these fields. */
export class ExportSettingsDto extends ExportQuery {
  @EnumField(SOURCE_NAMES, {
    description:
      'The kind of data to export. `run`: the rows of a run. `changes`: the items that a run has added, changed or found again, as they are now.',
    default: 'collection',
    optional: true,
  })
  source: SourceName = 'collection';

  @DatabaseIdField({ description: 'The database of the collection.', optional: true })
  db_id?: string;

  @StringField({ description: 'The collection to export.', example: 'books', min: 1, max: 120, optional: true })
  collection?: string;

  @StringField({
    description: 'For `table`: a table of PostgreSQL.',
    example: 'prices',
    min: 1,
    max: 63,
    optional: true,
  })
  table?: string;

  @StringField({
    description: 'For `table`: the schema of the table.',
    default: 'public',
    example: 'public',
    min: 1,
    max: 63,
    optional: true,
  })
  schema?: string;

  @StringField({
    description:
      'For `query`: a SQL statement whose rows to export. It cannot change data, and PostgreSQL must find each batch of rows within 30 s.',
    example: 'SELECT title, price FROM prices ORDER BY price',
    min: 1,
    max: 100_000,
    optional: true,
  })
  sql?: string;

  @ObjectField(
    GroupDto,
    'For `collection` and `table`: exports groups instead of documents or rows, with the columns `group` and `count` and, with `of`, `sum`, `average`, `min` and `max`.',
  )
  group?: GroupDto;

  @ObjectField(DestinationDto, 'Where to send the file, besides keeping it.')
  destination?: DestinationDto;
}

/** An export to make now. */
export class CreateExportDto extends ExportSettingsDto {
  @UuidField({ description: 'For `run` and `changes`: id of the run to export.', optional: true })
  execution_id?: string;

  @DateTimeField({
    description: 'Only documents added at this time or later. Trawl reads the time in their ObjectId.',
    optional: true,
  })
  added_from?: string;

  @DateTimeField({ description: 'Only documents added before this time.', optional: true })
  added_before?: string;
}

export class ExportsListQuery extends ListQuery {
  @EnumField(JOB_STATES, { description: 'Only exports in this state.', optional: true })
  state?: JobState;

  @UuidField({ description: 'Only exports of this exporter.', optional: true })
  exporter_id?: string;
}

/** An export: its file, or what became of it. */
export class ExportDto extends EntityDto {
  @ApiProperty({
    enum: JOB_STATES,
    description: '`queued` and `running` exports are not finished. Only a `done` export has a file.',
  })
  state!: JobState;

  @ApiProperty({ enum: SOURCE_NAMES, description: 'The kind of data in the file.' })
  source!: SourceName;

  @ApiProperty({ enum: FORMAT_NAMES, description: 'Format of the file.' })
  format!: FormatName;

  @ApiProperty({
    type: ShownDestinationDto,
    nullable: true,
    description: 'Where Trawl sends the file; null if it only keeps it.',
  })
  destination!: ShownDestinationDto | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'The exporter that made it, if one did.' })
  exporter_id!: string | null;

  @ApiProperty({ description: 'Name of the file when you download it.', example: 'books.csv' })
  file_name!: string;

  @ApiProperty({ description: 'Number of documents in the file so far.', type: 'integer', example: 420 })
  rows!: number;

  @ApiProperty({
    description: 'Size of the file in bytes; null until the export is done.',
    type: 'integer',
    nullable: true,
    example: 53_120,
  })
  bytes!: number | null;

  @ApiProperty({
    description:
      'How many numbers a JSON, NDJSON or XLSX file has as the texts `NaN`, `Infinity` and `-Infinity`, because its format lacks such numbers; 0 until the export is done.',
    type: 'integer',
    example: 0,
  })
  numbers_as_text!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'A URL at which anyone can download the file without a token; null until the export is done.',
    example: 'https://trawl.example.com/joint-api/export-links/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071?signature=kZ1x',
  })
  link!: string | null;

  @ApiProperty({
    type: String,
    description: 'Why the export failed, for programs; null if it did not.',
    enum: Object.keys(API_ERRORS),
    nullable: true,
    example: null,
  })
  error_code!: ApiErrorCode | null;

  @ApiProperty({ type: String, description: 'Why the export failed, for people.', nullable: true, example: null })
  error_message!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When a backend started it.' })
  started_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it ended.' })
  ended_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When Trawl deletes the export with its file; null until it ends.',
  })
  expires_at!: string | null;
}
