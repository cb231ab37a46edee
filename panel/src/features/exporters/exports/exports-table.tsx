import { Button, CopyButton, Group, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { byteSize } from '@trawl/contracts';
import { Link } from 'react-router';
import type { Export } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { ChoiceFilter } from '../../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { RowMenu } from '../../../components/list/row-menu.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { JobState } from '../job-state.js';
import { ExporterSelect } from '../saved/exporter-select.js';
import { destinationWords, FORMATS, isOpen, SOURCES } from '../terms.js';
import { downloadExport, useCancelExport, useDeleteExport, useExports } from './exports.js';

const STATES: Export['state'][] = ['queued', 'running', 'done', 'failed', 'cancelled'];

function ExportActions({ item }: { item: Export }) {
  const cancel = useCancelExport();
  const isStopping = cancel.data?.state === 'running';
  const remove = useDeleteExport();
  const confirmDeletion = () =>
    confirmDelete({
      title: `Delete ${item.file_name}?`,
      children: isOpen(item)
        ? 'The export stops, and its file is deleted. The exported data stays.'
        : 'The file is deleted, and its link stops working. The exported data stays.',
      confirmLabel: 'Delete export',
      onConfirm: () => remove.mutate(item.id),
    });
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      {item.state === 'done' && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => downloadExport(item)}
          aria-label={`Download ${inReadingOrder(item.file_name)}`}
        >
          Download
        </Button>
      )}
      {isOpen(item) && (
        <Button
          size="compact-sm"
          variant="default"
          loading={cancel.isPending}
          disabled={isStopping}
          onClick={() => cancel.mutate(item.id)}
          aria-label={`${isStopping ? 'Stopping' : 'Cancel'} ${inReadingOrder(item.file_name)}`}
        >
          {isStopping ? 'Stopping…' : 'Cancel'}
        </Button>
      )}
      <RowMenu of={item.file_name} isBusy={remove.isPending}>
        {item.link && (
          <CopyButton value={item.link}>
            {({ copied, copy }) => (
              <Menu.Item closeMenuOnClick={false} onClick={copy}>
                {copied ? 'Copied' : 'Copy the link, which needs no sign-in'}
              </Menu.Item>
            )}
          </CopyButton>
        )}
        <Menu.Item color="red" onClick={confirmDeletion}>
          Delete…
        </Menu.Item>
      </RowMenu>
    </Group>
  );
}

const columns: Column<Export>[] = [
  {
    key: 'file',
    title: 'File',
    lead: true,
    render: item => (
      <>
        <span className="cell-title">{inReadingOrder(item.file_name)}</span>
        <span className="cell-sub">
          {SOURCES[item.source]}, {FORMATS[item.format]}
          {item.destination && `, ${destinationWords(item.destination)}`}
        </span>
      </>
    ),
  },
  {
    key: 'state',
    title: 'State',
    brief: true,
    render: item => (
      <JobState state={item.state} progress={`${item.rows.toLocaleString()} rows`} error={item.error_message} />
    ),
  },
  {
    key: 'rows',
    title: 'Rows',
    brief: true,
    named: true,
    render: item =>
      item.state === 'done' && (
        <>
          <span className="tabular">{item.rows.toLocaleString()}</span>
          {item.numbers_as_text > 0 && (
            <span className="cell-sub">NaN or Infinity as text: {item.numbers_as_text.toLocaleString()}</span>
          )}
        </>
      ),
  },
  {
    key: 'bytes',
    title: 'Size',
    render: ({ bytes }) => bytes !== null && <span className="tabular">{byteSize(bytes)}</span>,
  },
  {
    key: 'created',
    title: 'Started',
    brief: true,
    sortBy: 'created_at',
    render: item => <RelativeTime iso={item.created_at} />,
  },
  {
    key: 'expires',
    title: 'Kept until',
    render: item => item.expires_at && <RelativeTime iso={item.expires_at} />,
  },
  { key: 'actions', title: 'Actions', actions: true, render: item => <ExportActions item={item} /> },
];

export function ExportsTable({ newHref }: { newHref: string }) {
  const params = useListParams('-created_at');
  const state = params.get('state');
  const exporterId = params.get('exporter_id');
  const query = useExports({
    ...params.query,
    state: (state || undefined) as Export['state'] | undefined,
    exporter_id: exporterId || undefined,
  });
  return (
    <DataTable
      label="Exports"
      what="The exports"
      columns={columns}
      query={query}
      params={params}
      rowKey={({ id }) => id}
      toolbar={
        <>
          <ChoiceFilter params={params} name="state" label="All states" choices={STATES} width={170} />
          <ExporterSelect value={exporterId || null} onChange={value => params.set({ exporter_id: value })} />
        </>
      }
      empty={
        state || exporterId ? (
          <NoMatches params={params} filters={['state', 'exporter_id']} title="No matching exports">
            No export matches all filters.
          </NoMatches>
        ) : (
          <EmptyState
            title="No exports yet"
            action={
              <Button component={Link} to={newHref}>
                New export
              </Button>
            }
          >
            Write a collection, the rows of a run, or a SQL query to a file. Trawl keeps it for some days.
          </EmptyState>
        )
      }
    />
  );
}
