import { queryOptions, useQuery } from '@tanstack/react-query';
import type { PostgresColumn } from '../../../api/entities.js';
import { TABLES_KEY } from '../../../api/storage-keys.js';
import { type GroupSettings, groupBody, groupSettingsFrom } from '../../../components/group/group-settings.js';
import { loadTableGroups } from '../../../components/group/load-groups.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { GroupsView } from './groups-view.js';

/** Groups by day if the table has a column of times, else by the first column that is not the key. */
function firstSettings(columns: readonly PostgresColumn[]): GroupSettings {
  const time = columns.find(({ type }) => /^(timestamp|date)/.test(type));
  if (time) return { by: time.name, every: 'day', of: '' };
  const column = columns.find(({ primary_key: isKey }) => !isKey) ?? columns[0];
  return { by: column?.name ?? '', every: '', of: '' };
}

const groupsQuery = (schema: string, table: string, settings: GroupSettings) =>
  queryOptions({
    queryKey: [...TABLES_KEY, 'groups', schema, table, settings],
    queryFn: ({ signal }) => loadTableGroups(table, { ...groupBody(settings), schema }, signal),
    retry: false,
  });

interface TableGroupsProps {
  schema: string;
  table: string;
  columns: readonly PostgresColumn[];
  exportHref: string;
}

/** The rows of a table in groups. */
export function TableGroups({ schema, table, columns, exportHref }: TableGroupsProps) {
  const settings = groupSettingsFrom(useUrlParams().get) ?? firstSettings(columns);
  return (
    <GroupsView
      settings={settings}
      query={useQuery(groupsQuery(schema, table, settings))}
      fields={columns.map(({ name }) => name)}
      exportHref={exportHref}
    />
  );
}
