import type { SourceName } from '../sources/export-sources.service.js';
import type { SourceParams } from '../sources/source.js';
import type { Exporter } from './exporter.entity.js';
import type { CreateExporterDto, UpdateExporterDto } from './exporters.dto.js';

/** The fields that say what is exported, and how. They are checked together. */
const CONTENT = [
  ...[
    'source',
    'db_id',
    'collection',
    'filter',
    'table',
    'schema',
    'sql',
    'group',
    'format',
    'fields',
    'flatten',
    'lists',
  ],
  ...['bom', 'escape_formulas', 'destination', 'only_new', 'skript_id'],
] as (keyof UpdateExporterDto)[];

export const changesContent = (changes: UpdateExporterDto): boolean =>
  CONTENT.some(name => changes[name] !== undefined);

/** Returns the settings with which an exporter could be created again, but without its destination. */
export function settingsOf({ params, ...row }: Exporter) {
  const { source, db_id, collection, filter, table, schema, sql, group } = params.source;
  const { format, fields, flatten, joinsLists, bom, keepsFormulas } = params.options;
  return {
    name: row.name,
    source: source as SourceName,
    db_id,
    collection,
    filter,
    table,
    schema,
    sql,
    group,
    format,
    fields: fields?.join(','),
    flatten,
    lists: joinsLists ? ('join' as const) : ('json' as const),
    bom: bom === true,
    escape_formulas: !keepsFormulas,
    only_new: row.only_new,
    cron_span: row.cron_span ?? undefined,
    time_zone: row.time_zone,
    skript_id: row.skript_id ?? undefined,
    enabled: row.enabled,
  };
}

/** Returns the settings of an exporter after the changes. A new source takes nothing from the old one. */
export function changed(exporter: Exporter, changes: UpdateExporterDto): CreateExporterDto {
  const { source, db_id, collection, filter, table, schema, sql, group, ...others } = settingsOf(exporter);
  const isSameSource = changes.source === undefined || changes.source === source;
  const data = isSameSource ? { source, db_id, collection, filter, table, schema, sql, group } : {};
  const sent = Object.entries(changes).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value ?? undefined]],
  );
  return { ...others, ...data, ...Object.fromEntries(sent) };
}

/** Returns whether two sources have different documents, apart from a filter. */
export const isOtherData = (one: SourceParams, other: SourceParams): boolean =>
  (['source', 'db_id', 'collection', 'table', 'schema', 'sql'] as const).some(name => one[name] !== other[name]);
