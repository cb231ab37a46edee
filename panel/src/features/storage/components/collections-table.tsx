import { Button } from '@mantine/core';
import { byteSize } from '@trawl/contracts';
import { Link } from 'react-router';
import type { MongoCollection } from '../../../api/entities.js';
import { useCollections } from '../../../api/requests/storage/list-collections.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { useCollectionTitles } from '../../../components/selects/collection-titles.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useIsReadOnly } from '../api/get-database.js';
import { CollectionActions } from './collection-actions.js';

interface CollectionsTableProps {
  databaseId: string;
  executeHref: string;
  onNew: () => void;
}

export function CollectionsTable({ databaseId, executeHref, onNew }: CollectionsTableProps) {
  const isReadOnly = useIsReadOnly(databaseId);
  const params = useListParams('name');
  const query = useCollections(databaseId, { limit: params.query.limit, skip: params.query.skip });
  const titleOf = useCollectionTitles(query.data?.items.map(({ name }) => name) ?? []);
  const columns: Column<MongoCollection>[] = [
    {
      key: 'name',
      title: 'Collection',
      lead: true,
      render: ({ name }) => {
        const title = titleOf(name);
        return (
          <>
            <Link className="cell-title" to={encodeURIComponent(name)}>
              {title}
            </Link>
            {title !== inReadingOrder(name) && <span className="cell-sub mono">{name}</span>}
          </>
        );
      },
    },
    {
      key: 'count',
      title: 'Documents',
      brief: true,
      named: true,
      render: collection => <span className="tabular">{collection.count.toLocaleString()}</span>,
    },
    {
      key: 'size',
      title: 'Size before compression',
      brief: true,
      render: collection => <span className="tabular">{byteSize(collection.size)}</span>,
    },
    {
      key: 'actions',
      title: 'Actions',
      actions: true,
      render: collection => <CollectionActions databaseId={databaseId} collection={collection} />,
    },
  ];
  return (
    <DataTable
      label="Collections"
      what="The collections"
      columns={isReadOnly ? columns.filter(({ key }) => key !== 'actions') : columns}
      query={query}
      params={params}
      rowKey={collection => collection.name}
      empty={
        <EmptyState
          title="This database is empty"
          action={
            <>
              <Button component={Link} to={executeHref} mr="xs">
                Execute a skript
              </Button>
              {!isReadOnly && (
                <Button variant="default" onClick={onNew}>
                  New collection
                </Button>
              )}
            </>
          }
        >
          A collection appears as soon as a skript stores its first document in it.
        </EmptyState>
      }
    />
  );
}
