import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { MongoDatabase } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { TimeText, ZONE } from '../../../components/values/time-text.js';
import { useDatabases } from '../api/list-databases.js';

const columns: Column<MongoDatabase>[] = [
  {
    key: 'name',
    title: 'Name',
    sortBy: 'name',
    lead: true,
    render: database => (
      <Link className="cell-title" to={database.id}>
        {database.name}
      </Link>
    ),
  },
  {
    key: 'created',
    title: `Created (${ZONE})`,
    sortBy: 'created_at',
    render: database => <TimeText iso={database.created_at} />,
  },
  { key: 'id', title: 'ID', render: database => <CopyId id={database.id} short of={database.name} /> },
];

export function DatabasesTable({ skriptsHref }: { skriptsHref: string }) {
  const params = useListParams('name');
  const query = useDatabases(params.query);
  return (
    <DataTable
      label="MongoDB databases"
      what="The databases"
      columns={columns}
      query={query}
      params={params}
      rowKey={database => database.id}
      empty={
        <EmptyState
          title="You have no database yet"
          action={
            <Button component={Link} to={skriptsHref}>
              Go to your skripts
            </Button>
          }
        >
          Ask an administrator for a database. Skripts run without one, but cannot store data.
        </EmptyState>
      }
    />
  );
}
