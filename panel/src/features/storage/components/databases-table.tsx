import { Button, Menu, Skeleton } from '@mantine/core';
import { byteSize, countText } from '@trawl/contracts';
import { useState } from 'react';
import { Link } from 'react-router';
import type { MongoDatabase } from '../../../api/entities.js';
import { useDatabases } from '../../../api/requests/storage/list-databases.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { RowMenu } from '../../../components/list/row-menu.js';
import { NameModal } from '../../../components/unsaved/name-modal.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { useIsAdmin } from '../../../session/use-is-admin.js';
import { useDeleteDatabase, useRenameDatabase, useShareDatabase } from '../api/change-databases.js';
import { useDatabase } from '../api/get-database.js';

function RenameModal({ database, onClose }: { database: MongoDatabase; onClose: () => void }) {
  return (
    <NameModal
      title={`Rename ${database.name}`}
      label="New name"
      description="Skripts that use the old name fail until you change them."
      initialName={database.name}
      button="Rename database"
      failure="The database was not renamed"
      request={useRenameDatabase(database.id)}
      toSend={name => name}
      onClose={onClose}
    />
  );
}

/** Name of the database that each new account has. */
const FIRST_DATABASE = 'main';

function DatabaseActions({ database }: { database: MongoDatabase }) {
  const [isRenaming, setRenaming] = useState(false);
  const remove = useDeleteDatabase();
  const share = useShareDatabase();
  const isAdmin = useIsAdmin();
  const details = useDatabase(database.id).data;
  const confirmDeletion = () =>
    confirmDelete({
      title: `Delete ${database.name}?`,
      children: `This permanently deletes the database${
        details
          ? ` with ${countText(details.collections, 'collection')} and ${countText(details.documents, 'document')}`
          : ' with all its collections and documents'
      }. Runs that use it fail.`,
      confirmLabel: 'Delete database',
      typed: database.name,
      onConfirm: () => remove.mutate(database),
    });
  const confirmSharing = () =>
    confirmDelete({
      title: `Share ${database.name} with all users?`,
      children: `All accounts of this installation, and their runs, can then read every collection in it. They cannot change it. ${
        database.name === FIRST_DATABASE
          ? `Every new account has its own ${FIRST_DATABASE}, which its runs read by this name. Share a database with another name to let runs read it.`
          : 'Runs of an account with its own database of this name read that one instead.'
      }`,
      confirmLabel: 'Share database',
      onConfirm: () => share.mutate(database),
    });
  return (
    <>
      <RowMenu of={database.name} isBusy={remove.isPending || share.isPending}>
        <Menu.Item onClick={() => setRenaming(true)}>Rename…</Menu.Item>
        {database.shared && <Menu.Item onClick={() => share.mutate(database)}>Stop sharing</Menu.Item>}
        {isAdmin && !database.shared && <Menu.Item onClick={confirmSharing}>Share with all users…</Menu.Item>}
        <Menu.Item color="red" onClick={confirmDeletion}>
          Delete…
        </Menu.Item>
      </RowMenu>
      {isRenaming && <RenameModal database={database} onClose={() => setRenaming(false)} />}
    </>
  );
}

/** One of the figures of a database, which MongoDB measures. */
function Figure({ id, of }: { id: string; of: 'documents' | 'storage_size' }) {
  const query = useDatabase(id);
  if (query.isPending) return <Skeleton height={12} width={60} />;
  if (query.isError) return <span title={query.error.message}>unknown</span>;
  const figure = query.data[of];
  return <span className="tabular">{of === 'storage_size' ? byteSize(figure) : figure.toLocaleString()}</span>;
}

const columns: Column<MongoDatabase>[] = [
  {
    key: 'name',
    title: 'Name',
    sortBy: 'name',
    lead: true,
    render: database => (
      <>
        <Link className="cell-title" to={database.id}>
          {database.name}
        </Link>
        {database.shared && <span className="cell-sub">shared with all users</span>}
      </>
    ),
  },
  {
    key: 'documents',
    title: 'Documents',
    brief: true,
    named: true,
    render: ({ id }) => <Figure id={id} of="documents" />,
  },
  { key: 'size', title: 'Size on disk', brief: true, render: ({ id }) => <Figure id={id} of="storage_size" /> },
  {
    key: 'created',
    title: 'Created',
    sortBy: 'created_at',
    render: database => <RelativeTime iso={database.created_at} />,
  },
  { key: 'id', title: 'ID', render: database => <CopyId id={database.id} short of={database.name} /> },
  { key: 'actions', title: 'Actions', actions: true, render: database => <DatabaseActions database={database} /> },
];

export function DatabasesTable({ onNew }: { onNew: () => void }) {
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
        <EmptyState title="You have no database yet" action={<Button onClick={onNew}>New database</Button>}>
          Skripts store the data that they extract in a database.
        </EmptyState>
      }
    />
  );
}
