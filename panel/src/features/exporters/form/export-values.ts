import type { ExportBody, Exporter, ExporterBody, ExporterChange } from '../../../api/entities.js';
import {
  type GroupSettings,
  groupBody,
  groupSettingsFrom,
  ownTimeZone,
} from '../../../components/group/group-settings.js';
import {
  type Condition,
  conditionsFrom,
  filterProblem,
  filterText,
} from '../../../components/mongo-filter/conditions.js';
import { isOfRun } from '../terms.js';

export type Source = NonNullable<ExportBody['source']>;
export type Repeat = 'once' | 'hand' | 'run' | 'schedule';
/** `kept` is the destination that a saved exporter has. */
type DestinationType = 'kept' | 'none' | 'email' | 'webhook' | 's3';

/** Values of the form of an export or exporter. */
export interface ExportValues {
  source: Source;
  db_id: string;
  collection: string;
  conditions: Condition[];
  /** Filter in MongoDB's own language. */
  written: string;
  execution_id: string;
  schema: string;
  table: string;
  sql: string;
  /** How to group what is exported; null to export it as it is. */
  group: (GroupSettings & { time_zone: string }) | null;
  format: NonNullable<ExportBody['format']>;
  fields: string[];
  flatten: boolean;
  lists: 'json' | 'join';
  bom: boolean;
  escape_formulas: boolean;
  destination: DestinationType;
  url: string;
  secret: string;
  bucket: string;
  region: string;
  prefix: string;
  access_key_id: string;
  secret_access_key: string;
  path_style: boolean;
  repeat: Repeat;
  name: string;
  skript_id: string;
  cron_span: string;
  time_zone: string;
  only_new: boolean;
}

const SOURCES: readonly string[] = ['collection', 'run', 'changes', 'table', 'query'] satisfies Source[];

/** Returns the values of an empty form. Links from other screens say in the address what to export. */
export function initialValues(address: (name: string) => string): ExportValues {
  const source = address('source');
  const group = groupSettingsFrom(address);
  return {
    source: SOURCES.includes(source) ? (source as Source) : 'collection',
    db_id: address('db_id'),
    collection: address('collection'),
    conditions: conditionsFrom(address('where')),
    written: address('filter'),
    execution_id: address('execution_id'),
    schema: address('schema') || 'public',
    table: address('table'),
    sql: address('sql'),
    group: group && { ...group, time_zone: ownTimeZone() },
    format: 'csv',
    fields: [],
    flatten: true,
    lists: 'json',
    bom: false,
    escape_formulas: true,
    destination: 'none',
    url: '',
    secret: '',
    bucket: '',
    region: '',
    prefix: '',
    access_key_id: '',
    secret_access_key: '',
    path_style: false,
    repeat: address('repeat') === 'hand' ? 'hand' : 'once',
    name: '',
    skript_id: address('skript_id'),
    cron_span: '0 6 * * *',
    time_zone: ownTimeZone(),
    only_new: false,
  };
}

/** Returns the values of the form of a saved exporter. */
export function valuesOf(exporter: Exporter): ExportValues {
  const { source, format, flatten, lists, bom, escape_formulas, name, time_zone, only_new } = exporter;
  const empty = initialValues(() => '');
  return {
    ...empty,
    ...{ source, format, flatten, lists, bom, escape_formulas, name, time_zone, only_new },
    db_id: exporter.db_id ?? '',
    collection: exporter.collection ?? '',
    written: exporter.filter ?? '',
    schema: exporter.schema ?? empty.schema,
    table: exporter.table ?? '',
    sql: exporter.sql ?? '',
    group: groupOf(exporter),
    fields: exporter.fields?.split(',') ?? [],
    destination: exporter.destination ? 'kept' : 'none',
    repeat: exporter.skript_id ? 'run' : exporter.cron_span ? 'schedule' : 'hand',
    skript_id: exporter.skript_id ?? '',
    cron_span: exporter.cron_span ?? empty.cron_span,
  };
}

function groupOf({ group }: Exporter): ExportValues['group'] {
  return group && { by: group.by, every: group.every ?? '', of: group.of ?? '', time_zone: group.time_zone ?? 'UTC' };
}

export const hasFilter = (source: Source): boolean => source === 'collection' || isOfRun(source);

export const hasGroups = (source: Source): boolean => source === 'collection' || source === 'table';

/** An exporter for each run takes its rows or changes from the run that ended, so there is no run to choose. */
export const ofEachRun = ({ source, repeat }: Pick<ExportValues, 'source' | 'repeat'>): boolean =>
  isOfRun(source) && repeat !== 'once';

const blank = (text: string, message: string): string | null => (text.trim() === '' ? message : null);

const sourceProblems = (values: ExportValues): Record<string, string | null> => {
  switch (values.source) {
    case 'collection':
      return {
        db_id: blank(values.db_id, 'Choose a database'),
        collection: blank(values.collection, 'Choose a collection'),
      };
    case 'run':
    case 'changes':
      return ofEachRun(values) ? {} : { execution_id: blank(values.execution_id, 'Choose a run') };
    case 'table':
      return { table: blank(values.table, 'Choose a table') };
    case 'query':
      return { sql: blank(values.sql, 'Enter a SELECT statement') };
  }
};

/** Returns what is missing in the form, by field. */
export function problemsOf(values: ExportValues): Record<string, string | null> {
  const { destination, repeat } = values;
  return {
    ...sourceProblems(values),
    written: hasFilter(values.source) ? filterProblem(values.written) : null,
    group: hasGroups(values.source) && values.group?.by === '' ? 'Choose a field' : null,
    url: destination === 'webhook' ? blank(values.url, 'Enter the URL to post to') : null,
    bucket: destination === 's3' ? blank(values.bucket, 'Enter the name of the bucket') : null,
    region: destination === 's3' ? blank(values.region, 'Enter the region') : null,
    access_key_id: destination === 's3' ? blank(values.access_key_id, 'Enter the access key') : null,
    secret_access_key: destination === 's3' ? blank(values.secret_access_key, 'Enter the secret key') : null,
    name: repeat === 'once' ? null : blank(values.name, 'Enter a name'),
    skript_id: repeat === 'run' || ofEachRun(values) ? blank(values.skript_id, 'Choose a skript') : null,
    cron_span: repeat === 'schedule' ? blank(values.cron_span, 'Enter when to export') : null,
  };
}

/** Returns the entries that have a text. */
const given = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]])),
  );

function sourceBody(values: ExportValues): Partial<ExportBody> {
  const { source, db_id, collection, execution_id, schema, table, sql, conditions, written } = values;
  const filter = filterText(conditions, written);
  const grouped = values.group ? { group: groupBody(values.group, values.group.time_zone) } : {};
  switch (source) {
    case 'collection':
      return { source, db_id, collection, ...(filter ? { filter } : {}), ...grouped };
    case 'run':
    case 'changes':
      return { source, ...(ofEachRun(values) ? {} : { execution_id }), ...(filter ? { filter } : {}) };
    case 'table':
      return { source, schema, table, ...grouped };
    case 'query':
      return { source, sql };
  }
}

function destinationBody(values: ExportValues): Partial<ExportBody> {
  const { destination: type, url, secret, path_style } = values;
  const { bucket, region, prefix, access_key_id, secret_access_key } = values;
  switch (type) {
    case 'kept':
    case 'none':
      return {};
    case 'email':
      return { destination: { type } };
    case 'webhook':
      return { destination: { type, ...given({ url, secret }) } };
    case 's3':
      return {
        destination: {
          type,
          path_style,
          ...given({ url, bucket, region, prefix, access_key_id, secret_access_key }),
        },
      };
  }
}

/** Returns the export that the form describes. Only the options that matter for its format are sent. */
export function exportBody(values: ExportValues): ExportBody {
  const { format, fields, flatten, lists, bom, escape_formulas } = values;
  const isTable = format === 'csv' || format === 'xlsx' || format === 'parquet';
  return {
    ...sourceBody(values),
    format,
    ...(fields.length > 0 ? { fields: fields.join(',') } : {}),
    ...(isTable ? { flatten, lists } : {}),
    ...(format === 'csv' ? { bom, escape_formulas } : {}),
    ...destinationBody(values),
  };
}

/** Returns the exporter that the form describes. */
export function exporterBody(values: ExportValues): ExporterBody {
  const { name, repeat, skript_id, cron_span, time_zone, only_new, source } = values;
  return {
    ...exportBody(values),
    name: name.trim(),
    only_new: source === 'collection' && values.group === null && only_new,
    ...(repeat === 'run' || ofEachRun(values) ? { skript_id } : {}),
    ...(repeat === 'schedule' ? { cron_span: cron_span.trim(), time_zone } : {}),
  };
}

/** Fields that null removes from an exporter. */
const REMOVABLE = ['filter', 'group', 'fields', 'skript_id', 'cron_span'] as const;

/** Returns what the form changes in an exporter, so that settings which the form does not show stay. */
export function exporterChange(values: ExportValues, before: ExportValues): ExporterChange {
  const [body, former]: Record<string, unknown>[] = [{ ...exporterBody(values) }, { ...exporterBody(before) }];
  const isChanged = (name: string) => JSON.stringify(body?.[name]) !== JSON.stringify(former?.[name]);
  const isRemoved = before.destination === 'kept' && values.destination === 'none';
  return {
    ...Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => isChanged(name))),
    ...Object.fromEntries(REMOVABLE.filter(name => isChanged(name) && !body?.[name]).map(name => [name, null])),
    ...(isRemoved ? { destination: null } : {}),
  };
}
