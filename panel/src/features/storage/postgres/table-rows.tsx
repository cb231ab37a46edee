import { Badge } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Listed, PostgresColumn } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { CellValue } from '../cell-value.js';
import { fieldOf } from '../document-columns.js';
import { useRows, useTable } from './tables.js';

interface TableProps {
  schema: string;
  table: string;
}

interface TableRowsProps extends TableProps {
  /** Begins with the highest key, which the newest rows of most tables have. */
  newestFirst?: boolean;
  /** Interval after which the rows are read again. */
  refreshMs?: number;
  /** Buttons above the table. */
  toolbar?: ReactNode;
}

/** Number of columns besides the first that phones show of a closed row. */
const BRIEF_COLUMNS = 2;

export function TableRows({ schema, table, newestFirst = false, refreshMs, toolbar }: TableRowsProps) {
  const described = useTable(schema, table);
  const key = (described.data?.columns ?? []).filter(({ primary_key: isKey }) => isKey).map(({ name }) => `-${name}`);
  const params = useListParams(newestFirst ? key.join(',') : '');
  const { limit, skip, sort } = params.query;
  const query = useRows(schema, table, { limit, skip, ...(sort === '' ? {} : { sort }) }, refreshMs);
  const known = described.data?.columns ?? [];
  const lead = known.find(({ primary_key: isKey }) => isKey) ?? known[0];
  const columns = known.map(
    (column, position): Column<Record<string, unknown>> => ({
      key: column.name,
      title: inReadingOrder(column.name),
      sortBy: column.name,
      lead: column === lead,
      brief: position <= BRIEF_COLUMNS,
      named: true,
      render: row => <CellValue value={fieldOf(row, column.name)} />,
    }),
  );
  // A table may have no key, so the position on the page is all that tells its rows apart.
  const positions = new Map((query.data?.items ?? []).map((row, position) => [row, String(position)]));
  return (
    <DataTable
      label="Rows"
      what="The rows"
      columns={columns}
      query={query}
      params={params}
      rowKey={row => positions.get(row) ?? ''}
      toolbar={toolbar}
      empty={
        <EmptyState title="This table has no rows">
          Rows appear as soon as a skript or a statement adds them.
        </EmptyState>
      }
    />
  );
}

const columnColumns: Column<PostgresColumn>[] = [
  {
    key: 'name',
    title: 'Column',
    lead: true,
    render: ({ name, primary_key: isKey }) => (
      <>
        <span className="cell-title mono">{inReadingOrder(name)}</span>{' '}
        {isKey && (
          <Badge size="sm" variant="light" color="sea">
            key
          </Badge>
        )}
      </>
    ),
  },
  {
    key: 'type',
    title: 'Type',
    brief: true,
    render: ({ type }) => <span className="mono">{inReadingOrder(type)}</span>,
  },
  {
    key: 'nullable',
    title: 'Null',
    brief: true,
    named: true,
    render: ({ nullable }) => (nullable ? 'allowed' : 'refused'),
  },
  {
    key: 'default',
    title: 'Default',
    render: column => <span className="mono">{inReadingOrder(column.default ?? '')}</span>,
  },
];

export function TableColumns({ schema, table }: TableProps) {
  const query = useTable(schema, table);
  const columns = query.data && { ...query, data: { total: query.data.columns.length, items: query.data.columns } };
  return (
    <DataTable
      label="Columns"
      what="The columns"
      columns={columnColumns}
      query={(columns ?? query) as UseQueryResult<Listed<PostgresColumn>>}
      rowKey={({ name }) => name}
      empty={<EmptyState title="This table has no columns">Add some with ALTER TABLE in the SQL console.</EmptyState>}
    />
  );
}
