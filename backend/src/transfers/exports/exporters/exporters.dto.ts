import { ApiProperty } from '@nestjs/swagger';
import { GroupDto } from '../../../data/storage/documents/groups.dto.js';
import { EntityDto } from '../../../platform/common/entity.js';
import { BooleanField, StringField } from '../../../platform/http/fields.js';
import { SkriptIdField } from '../../../platform/http/names/named-ids.js';
import { ChangesOf } from '../../../platform/http/updates/changes-of.js';
import { IgnoredFields } from '../../../platform/http/updates/ignored-fields.js';
import { ShownDestinationDto } from '../destinations/destination.dto.js';
import { LISTS, type Lists } from '../export-query.js';
import { ExportSettingsDto } from '../exports.dto.js';
import { FORMAT_NAMES, type FormatName } from '../formats/formats.js';
import { SOURCE_NAMES, type SourceName } from '../sources/export-sources.service.js';

const enabled = { description: 'Whether the exporter runs automatically. You can always start it by hand.' };

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
    description:
      'Whether each export has only the documents that no earlier export has. The first export has all documents.',
    default: false,
    optional: true,
  })
  only_new = false;

  @StringField({
    description: 'When to export, as a cron span. Without `cron_span` and `skript_id`, you start each export by hand.',
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
    description: 'Export after each run of this skript. With the source `run`, the export has the rows of that run.',
    optional: true,
  })
  skript_id?: string;

  @BooleanField({ ...enabled, default: true, optional: true })
  enabled = true;
}

/** Changes of an exporter. Fields that are left out stay as they are. */
@IgnoredFields('id', 'created_at', 'updated_at', 'next_at', 'exported_until')
export class UpdateExporterDto extends ChangesOf(CreateExporterDto, {
  clearable: [
    'db_id',
    'collection',
    'filter',
    'table',
    'schema',
    'sql',
    'group',
    'fields',
    'destination',
    'cron_span',
    'skript_id',
  ],
}) {}

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

  @ApiProperty({
    type: GroupDto,
    nullable: true,
    description: 'How the exporter groups its data; null if it does not group.',
  })
  group!: GroupDto | null;

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

  @ApiProperty({ description: 'Whether each export has only the documents that no earlier export has.' })
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
