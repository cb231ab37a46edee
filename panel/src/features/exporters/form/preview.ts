import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Groups } from '../../../api/entities.js';
import { groupBody } from '../../../components/group/group-settings.js';
import { loadCollectionGroups, loadTableGroups } from '../../../components/group/load-groups.js';
import { filterText } from '../../../components/mongo-filter/conditions.js';
import { type ExportValues, hasGroups, ofEachRun } from './export-values.js';
import type { Row } from './preview-rows.js';

const ROWS = 10;

export interface Preview {
  rows: Row[];
  /** Number of rows that the file will have; null if it is not known. */
  total: number | null;
  isCapped: boolean;
}

const ofList = (list: { items: Row[]; total: number; total_capped?: boolean }): Preview => ({
  rows: list.items.slice(0, ROWS),
  total: list.total,
  isCapped: list.total_capped ?? false,
});

const ofGroups = ({ items, truncated = false }: Groups): Preview => ({
  rows: items.slice(0, ROWS).map(item => ({ ...item })),
  total: items.length,
  isCapped: truncated,
});

type Source = Pick<
  ExportValues,
  | 'source'
  | 'repeat'
  | 'db_id'
  | 'collection'
  | 'conditions'
  | 'written'
  | 'execution_id'
  | 'schema'
  | 'table'
  | 'sql'
  | 'group'
>;

function groupLoaderOf(
  { source, db_id, collection, conditions, written, schema, table }: Source,
  { time_zone, ...settings }: NonNullable<Source['group']>,
): ((signal: AbortSignal) => Promise<Preview>) | null {
  if (settings.by === '') return null;
  const query = groupBody(settings, time_zone);
  const filter = filterText(conditions, written);
  if (source === 'collection' && db_id && collection.trim())
    return async signal => ofGroups(await loadCollectionGroups(db_id, collection, { ...query, filter }, signal));
  if (source === 'table' && table)
    return async signal => ofGroups(await loadTableGroups(table, { ...query, schema }, signal));
  return null;
}

/** Returns a function that loads the first rows, or null if the form does not yet say of what. */
function loaderOf(values: Source): ((signal: AbortSignal) => Promise<Preview>) | null {
  const { source, db_id, collection, conditions, written, execution_id, schema, table, sql } = values;
  const filter = filterText(conditions, written);
  if (values.group && hasGroups(source)) return groupLoaderOf(values, values.group);
  if (source === 'collection' && db_id && collection.trim())
    return async signal =>
      ofList(
        await unwrap(
          api.GET('/joint-api/mongo/{db_id}/{collection}/list', {
            params: { path: { db_id, collection }, query: { limit: ROWS, format: 'relaxed', sort: '_id', filter } },
            signal,
          }),
        ),
      );
  if (source === 'run' && execution_id && !ofEachRun(values))
    return async signal =>
      ofList(
        (await unwrap(
          api.GET('/joint-api/skript-execution/{skriptExecution_id}/rows', {
            params: { path: { skriptExecution_id: execution_id }, query: { limit: ROWS, format: 'json' } },
            signal,
          }),
        )) as { items: Row[]; total: number },
      );
  if (source === 'table' && table)
    return async signal =>
      ofList(
        await unwrap(
          api.GET('/joint-api/postgres-tables/{table}/rows', {
            params: { path: { table }, query: { schema, limit: ROWS } },
            signal,
          }),
        ),
      );
  if (source === 'query' && sql.trim())
    return async signal => {
      const {
        fields,
        rows,
        row_count: count,
        truncated,
      } = await unwrap(api.POST('/joint-api/postgres/query', { body: { sql, read_only: true }, signal }));
      const toRow = (row: unknown[]): Row => Object.fromEntries(fields.map(({ name }, index) => [name, row[index]]));
      return { rows: rows.slice(0, ROWS).map(toRow), total: count, isCapped: truncated };
    };
  return null;
}

const previewQuery = (values: Source) => {
  const load = loaderOf(values);
  const { source, db_id, collection, conditions, written, execution_id, schema, table, sql, group } = values;
  return queryOptions({
    queryKey: [
      'export-preview',
      load === null,
      { source, db_id, collection, conditions, written, execution_id, schema, table, sql, group },
    ],
    queryFn: load === null ? skipToken : ({ signal }) => load(signal),
    placeholderData: keepPreviousData,
    retry: false,
  });
};

/** The first rows of what the form describes. */
export const usePreview = (values: Source) => useQuery(previewQuery(values));

const firesQuery = (span: string, zone: string) =>
  queryOptions({
    queryKey: ['schedule-preview', span, zone],
    queryFn:
      span.trim() === ''
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.GET('/joint-api/schedules/preview', {
                params: { query: { cron_span: span.trim(), time_zone: zone } },
                signal,
              }),
            ),
    retry: false,
  });

/** The next times of a cron span. */
export const useNextFires = (span: string, zone: string) => useQuery(firesQuery(span, zone));
