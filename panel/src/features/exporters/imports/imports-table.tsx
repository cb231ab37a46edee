import { Button, Group, Menu } from '@mantine/core';
import { byteSize } from '@trawl/contracts';
import { Link } from 'react-router';
import type { Import } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { RowMenu } from '../../../components/list/row-menu.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { JobState } from '../job-state.js';
import { isOpen } from '../terms.js';
import { useCancelImport, useDeleteImport, useImports } from './imports.js';

function ImportActions({ item }: { item: Import }) {
  const { cancel, isPending, isStopping } = useCancelImport(item);
  const remove = useDeleteImport();
  const confirmDeletion = () =>
    confirmDelete({
      title: `Delete the upload ${item.file_name}?`,
      children: 'The uploaded file and its bad rows are deleted. What was imported stays.',
      confirmLabel: 'Delete upload',
      onConfirm: () => remove.mutate(item),
    });
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      {isOpen(item) && (
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending}
          disabled={isStopping}
          onClick={cancel}
          aria-label={`${isStopping ? 'Stopping' : 'Cancel'} the import of ${inReadingOrder(item.file_name)}`}
        >
          {isStopping ? 'Stopping…' : 'Cancel'}
        </Button>
      )}
      <RowMenu of={item.file_name} isBusy={remove.isPending}>
        <Menu.Item component={Link} to={`imports/${item.id}`}>
          Open
        </Menu.Item>
        <Menu.Item color="red" disabled={isOpen(item)} onClick={confirmDeletion}>
          Delete…
        </Menu.Item>
      </RowMenu>
    </Group>
  );
}

export const progressWords = ({ rows_read: read, rows_moved: moved }: Import): string =>
  moved > 0
    ? `Storing: ${moved.toLocaleString()} of ${read.toLocaleString()} rows`
    : `Checking: ${read.toLocaleString()} rows so far`;

const count = (value: number) => <span className="tabular">{value.toLocaleString()}</span>;

const columns: Column<Import>[] = [
  {
    key: 'file',
    title: 'File',
    lead: true,
    render: item => (
      <>
        <Link className="cell-title" to={`imports/${item.id}`}>
          {inReadingOrder(item.file_name)}
        </Link>
        <span className="cell-sub">
          {byteSize(item.bytes)}
          {(item.table ?? item.collection) && `, into ${inReadingOrder(item.table ?? item.collection ?? '')}`}
        </span>
      </>
    ),
  },
  {
    key: 'state',
    title: 'State',
    brief: true,
    render: item => <JobState state={item.state} progress={progressWords(item)} error={item.error_message} />,
  },
  { key: 'inserted', title: 'Added', render: ({ inserted }) => inserted !== null && count(inserted) },
  { key: 'updated', title: 'Updated', render: ({ updated }) => updated !== null && count(updated) },
  { key: 'bad', title: 'Bad rows', render: item => item.bad_rows > 0 && count(item.bad_rows) },
  {
    key: 'created',
    title: 'Uploaded',
    brief: true,
    sortBy: 'created_at',
    render: item => <RelativeTime iso={item.created_at} />,
  },
  { key: 'actions', title: 'Actions', actions: true, render: item => <ImportActions item={item} /> },
];

export function ImportsTable({ onUpload }: { onUpload: () => void }) {
  const params = useListParams('-created_at');
  return (
    <DataTable
      label="Imports"
      what="The imports"
      columns={columns}
      query={useImports(params.query)}
      params={params}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No imports yet" action={<Button onClick={onUpload}>Import a file</Button>}>
          Import CSV, Excel, Parquet, JSON or NDJSON into a collection or a table. Rows can be added, or update what is
          there.
        </EmptyState>
      }
    />
  );
}
