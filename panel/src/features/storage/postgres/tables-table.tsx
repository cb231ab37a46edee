import { Button } from '@mantine/core';
import { byteSize } from '@trawl/contracts';
import { Link } from 'react-router';
import type { PostgresTable } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useTables } from './tables.js';

const columns: Column<PostgresTable>[] = [
  {
    key: 'name',
    title: 'Table',
    lead: true,
    render: ({ schema, name }) => (
      <Link className="cell-title" to={`tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`}>
        {inReadingOrder(schema === 'public' ? name : `${schema}.${name}`)}
      </Link>
    ),
  },
  { key: 'kind', title: 'Kind', brief: true, render: ({ kind }) => kind },
  {
    key: 'rows',
    title: 'Rows (estimated)',
    render: ({ estimated_rows: rows }) => <span className="tabular">{rows?.toLocaleString() ?? '–'}</span>,
  },
  { key: 'size', title: 'Size', brief: true, render: ({ size }) => <span className="tabular">{byteSize(size)}</span> },
];

export function TablesTable({ consoleHref }: { consoleHref: string }) {
  const params = useListParams('');
  const { limit, skip } = params.query;
  return (
    <DataTable
      label="PostgreSQL tables"
      what="The tables"
      columns={columns}
      query={useTables({ limit, skip })}
      params={params}
      rowKey={({ schema, name }) => `${schema}.${name}`}
      empty={
        <EmptyState
          title="You have no tables yet"
          action={
            <Button component={Link} to={consoleHref}>
              Open the SQL console
            </Button>
          }
        >
          A skript makes tables with its first statements, or you make them in the SQL console.
        </EmptyState>
      }
    />
  );
}
