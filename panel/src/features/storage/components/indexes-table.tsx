import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Listed, MongoIndex } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useIsReadOnly } from '../api/get-database.js';
import { useDropIndex, useIndexes } from '../api/indexes.js';

const DIRECTIONS: Record<string, string> = { '1': 'ascending', '-1': 'descending' };

const keyWords = (keys: MongoIndex['keys']): string =>
  Object.entries(keys)
    .map(([field, kind]) => `${field} ${DIRECTIONS[String(kind)] ?? String(kind)}`)
    .join(', ');

const propertyWords = ({ unique, sparse, expire_after_s: seconds }: MongoIndex): string =>
  [
    unique && 'no two documents with the same values',
    sparse && 'only documents that have the field',
    seconds !== undefined && `deletes documents ${seconds.toLocaleString()} s after the date`,
  ]
    .filter(Boolean)
    .join('; ');

export function IndexesTable({ databaseId, collection }: { databaseId: string; collection: string }) {
  const isReadOnly = useIsReadOnly(databaseId);
  const query = useIndexes(databaseId, collection) as UseQueryResult<Listed<MongoIndex>>;
  const drop = useDropIndex(databaseId, collection);
  const confirmDrop = ({ name }: MongoIndex) =>
    confirmDelete({
      title: `Delete the index ${name}?`,
      children: 'The documents stay. Searches and sorting that used the index become slower.',
      confirmLabel: 'Delete index',
      onConfirm: () => drop.mutate(name),
    });
  const columns: Column<MongoIndex>[] = [
    {
      key: 'name',
      title: 'Index',
      lead: true,
      render: ({ name }) => <span className="cell-title mono">{inReadingOrder(name)}</span>,
    },
    { key: 'keys', title: 'Fields', brief: true, render: ({ keys }) => inReadingOrder(keyWords(keys)) },
    {
      key: 'properties',
      title: 'Properties',
      render: index => (index.name === '_id_' ? 'every collection has it' : propertyWords(index)),
    },
    {
      key: 'actions',
      title: 'Actions',
      actions: true,
      render: index =>
        index.name !== '_id_' &&
        !isReadOnly && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            onClick={() => confirmDrop(index)}
            aria-label={`Delete the index ${inReadingOrder(index.name)}`}
          >
            Delete
          </Button>
        ),
    },
  ];
  return (
    <DataTable
      label="Indexes"
      what="The indexes"
      columns={columns}
      query={query}
      rowKey={({ name }) => name}
      empty={
        <EmptyState title="No indexes yet">The collection gets its first index with its first document.</EmptyState>
      }
    />
  );
}
