import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../common/entity.js';
import { BooleanField, EnumField, StringField } from '../../http/fields.js';
import { IgnoredFields } from '../../http/ignored-fields.js';
import { DatabaseIdField, SkriptIdField } from '../../http/named-ids.js';
import { filterField } from '../../storage/documents/mongo-documents.dto.js';
import { type DestinationDto, ShownDestinationDto } from '../destinations/destination.dto.js';
import { LISTS, type Lists } from '../export-query.js';
import { DestinationField, ExportSettingsDto } from '../exports.dto.js';
import { FORMAT_NAMES, type FormatName } from '../formats/formats.js';
import { SOURCE_NAMES, type SourceName } from '../sources/export-sources.service.js';

const enabled = { description: 'Whether the exporter runs by itself. You can always start it by hand.' };

/** A saved export, which runs at set times, after each run of a skript, or by hand. */
export class CreateExporterDto extends ExportSettingsDto {
  @StringField({
    description: 'Name of the exporter. It must be unique among your exporters.',
    example: 'Prices to S3',
    min: 1,
    max: 200,
  })
  name!: string;

  @BooleanField({
    description: 'Whether each export has only the documents that no earlier one has. The first has all.',
    default: false,
    optional: true,
  })
  only_new = false;

  @StringField({
    description: 'When to export, as a cron span. Without it and `skript_id`, only by hand.',
    example: '0 7 * * *',
    max: 100,
    optional: true,
  })
  cron_span?: string;

  @StringField({
    description: 'IANA time zone of the span.',
    example: 'Europe/Zagreb',
    min: 1,
    max: 64,
    default: 'UTC',
    optional: true,
  })
  time_zone = 'UTC';

  @SkriptIdField({
    description: 'Export after each run of this skript. With the source `run`, the rows of that run.',
    optional: true,
  })
  skript_id?: string;

  @BooleanField({ ...enabled, default: true, optional: true })
  enabled = true;
}

const cleared = 'Omit it to keep the present one; null removes it.';

/** Changes of an exporter. Fields that are left out stay as they are. */
@IgnoredFields('id', 'created_at', 'updated_at', 'next_at', 'exported_until')
export class UpdateExporterDto {
  @StringField({ description: 'Name of the exporter.', example: 'Prices to S3', min: 1, max: 200, optional: true })
  name?: string;

  @EnumField(SOURCE_NAMES, {
    description: 'The kind of data to export. With another kind, also send the fields that say which data.',
    optional: true,
  })
  source?: SourceName;

  @DatabaseIdField({ description: 'The database of the collection.', optional: true, nullable: true })
  db_id?: string | null;

  @StringField({ description: 'The collection.', example: 'books', min: 1, max: 120, optional: true, nullable: true })
  collection?: string | null;

  @StringField({ ...filterField, description: `${filterField.description} ${cleared}`, nullable: true })
  filter?: string | null;

  @StringField({
    description: 'A table of PostgreSQL.',
    example: 'prices',
    min: 1,
    max: 63,
    optional: true,
    nullable: true,
  })
  table?: string | null;

  @StringField({
    description: 'The schema of the table.',
    example: 'public',
    min: 1,
    max: 63,
    optional: true,
    nullable: true,
  })
  schema?: string | null;

  @StringField({
    description: 'A SQL statement whose rows to export.',
    example: 'SELECT title, price FROM prices ORDER BY price',
    min: 1,
    max: 100_000,
    optional: true,
    nullable: true,
  })
  sql?: string | null;

  @EnumField(FORMAT_NAMES, { description: 'Format of the files.', optional: true })
  format?: FormatName;

  @StringField({
    description: `Fields to export, as dotted paths, separated by commas. ${cleared}`,
    example: 'title,seller.country',
    min: 1,
    max: 10_000,
    optional: true,
    nullable: true,
  })
  fields?: string | null;

  @BooleanField({ description: 'Whether nested fields become columns.', optional: true })
  flatten?: boolean;

  @EnumField(LISTS, { description: 'How a cell shows a list.', optional: true })
  lists?: Lists;

  @BooleanField({ description: 'Whether a CSV file begins with a byte order mark.', optional: true })
  bom?: boolean;

  @BooleanField({ description: 'Whether CSV has an apostrophe before formulas.', optional: true })
  escape_formulas?: boolean;

  @DestinationField(`Where to send the files, besides keeping them. ${cleared}`, true)
  destination?: DestinationDto | null;

  @BooleanField({ description: 'Whether each export has only the documents that no earlier one has.', optional: true })
  only_new?: boolean;

  @StringField({
    description: `When to export, as a cron span. ${cleared}`,
    example: '0 7 * * *',
    max: 100,
    optional: true,
    nullable: true,
  })
  cron_span?: string | null;

  @StringField({
    description: 'IANA time zone of the span.',
    example: 'Europe/Zagreb',
    min: 1,
    max: 64,
    optional: true,
  })
  time_zone?: string;

  @SkriptIdField({ description: `Export after each run of this skript. ${cleared}`, optional: true, nullable: true })
  skript_id?: string | null;

  @BooleanField({ ...enabled, optional: true })
  enabled?: boolean;
}

const shownText = (description: string, example: string): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, description, example });

/** A saved export, which repeats. */
export class ExporterDto extends EntityDto {
  @ApiProperty({ description: 'Name of the exporter.', example: 'Prices to S3' })
  name!: string;

  @ApiProperty({ enum: SOURCE_NAMES, description: 'The kind of data that it exports.' })
  source!: SourceName;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'The database of the collection.' })
  db_id!: string | null;

  @shownText('The collection.', 'books')
  collection!: string | null;

  @shownText('MongoDB filter in Extended JSON.', '{"price":{"$lt":20}}')
  filter!: string | null;

  @shownText('The table of PostgreSQL.', 'prices')
  table!: string | null;

  @shownText('The schema of the table.', 'public')
  schema!: string | null;

  @shownText('The SQL statement.', 'SELECT title, price FROM prices ORDER BY price')
  sql!: string | null;

  @ApiProperty({ enum: FORMAT_NAMES, description: 'Format of the files.' })
  format!: FormatName;

  @shownText('The columns, as dotted paths; null for all.', 'title,seller.country')
  fields!: string | null;

  @ApiProperty({ description: 'Whether nested fields become columns.', example: true })
  flatten!: boolean;

  @ApiProperty({ enum: LISTS, description: 'How a cell shows a list.' })
  lists!: Lists;

  @ApiProperty({ description: 'Whether a CSV file begins with a byte order mark.', example: false })
  bom!: boolean;

  @ApiProperty({ description: 'Whether CSV has an apostrophe before formulas.', example: true })
  escape_formulas!: boolean;

  @ApiProperty({
    type: ShownDestinationDto,
    nullable: true,
    description: 'Where Trawl sends the files; null if it only keeps them.',
  })
  destination!: ShownDestinationDto | null;

  @ApiProperty({ description: 'Whether each export has only the documents that no earlier one has.' })
  only_new!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'When it exports, as a cron span.', example: '0 7 * * *' })
  cron_span!: string | null;

  @ApiProperty({ description: 'IANA time zone of the span.', example: 'Europe/Zagreb' })
  time_zone!: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'It exports after each run of this skript.',
  })
  skript_id!: string | null;

  @ApiProperty(enabled)
  enabled!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the next export is due.' })
  next_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'With `only_new`: when the last export that is done began to read.',
  })
  exported_until!: string | null;
}
