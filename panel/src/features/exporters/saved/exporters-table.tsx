import { Button, Group, Menu, Switch } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { Exporter } from '../../../api/entities.js';
import { useSkript } from '../../../api/requests/get-skript.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { RowMenu } from '../../../components/list/row-menu.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { spanWords } from '../../../components/values/span-words.js';
import { destinationWords, FORMATS, isOfRun, SOURCES } from '../terms.js';
import { useDeleteExporter, useEnableExporter, useExporters, useRunExporter } from './exporters.js';

function ExporterActions({ exporter, href }: { exporter: Exporter; href: string }) {
  const run = useRunExporter();
  const remove = useDeleteExporter();
  const confirmDeletion = () =>
    confirmDelete({
      title: `Delete ${exporter.name}?`,
      children: 'It exports no more. The files that it has made stay until they expire.',
      confirmLabel: 'Delete exporter',
      onConfirm: () => remove.mutate(exporter),
    });
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      {!isOfRun(exporter.source) && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          loading={run.isPending}
          onClick={() => run.mutate(exporter)}
          aria-label={`Export now: ${inReadingOrder(exporter.name)}`}
        >
          Export now
        </Button>
      )}
      <RowMenu of={exporter.name} isBusy={remove.isPending}>
        <Menu.Item component={Link} to={href}>
          Change…
        </Menu.Item>
        <Menu.Item component={Link} to={`?exporter_id=${exporter.id}`}>
          Show its exports
        </Menu.Item>
        <Menu.Item color="red" onClick={confirmDeletion}>
          Delete…
        </Menu.Item>
      </RowMenu>
    </Group>
  );
}

function EnableSwitch({ exporter }: { exporter: Exporter }) {
  const enable = useEnableExporter();
  if (exporter.cron_span === null && exporter.skript_id === null) return <>by hand</>;
  return (
    <Switch
      size="sm"
      checked={exporter.enabled}
      disabled={enable.isPending}
      onChange={() => enable.mutate(exporter)}
      aria-label={`${inReadingOrder(exporter.name)} exports automatically`}
      label={exporter.enabled ? 'on' : 'off'}
    />
  );
}

function When({ exporter: { cron_span: span, time_zone: zone, skript_id: skriptId } }: { exporter: Exporter }) {
  const skript = useSkript(skriptId ?? '').data;
  return (
    <div>
      {skriptId && <span>after each run of {skript ? inReadingOrder(skript.title) : 'its skript'}</span>}
      {span && (
        <span>
          {spanWords(span) || <span className="mono">{span}</span>} <span className="cell-sub">{zone}</span>
        </span>
      )}
      {!span && !skriptId && '–'}
    </div>
  );
}

const columnsOf = (hrefOf: (exporter: Exporter) => string): Column<Exporter>[] => [
  {
    key: 'name',
    title: 'Exporter',
    sortBy: 'name',
    lead: true,
    render: exporter => (
      <>
        <Link className="cell-title" to={hrefOf(exporter)}>
          {inReadingOrder(exporter.name)}
        </Link>
        <span className="cell-sub">
          {SOURCES[exporter.source]}, {FORMATS[exporter.format]}
          {exporter.only_new && ', only new documents'}
        </span>
      </>
    ),
  },
  { key: 'when', title: 'When', brief: true, names: true, render: exporter => <When exporter={exporter} /> },
  { key: 'destination', title: 'Where to', names: true, render: ({ destination }) => destinationWords(destination) },
  {
    key: 'next',
    title: 'Next',
    sortBy: 'next_at',
    render: ({ next_at: next, enabled }) => enabled && next && <RelativeTime iso={next} />,
  },
  { key: 'enabled', title: 'Automatic', brief: true, render: exporter => <EnableSwitch exporter={exporter} /> },
  {
    key: 'actions',
    title: 'Actions',
    actions: true,
    render: exporter => <ExporterActions exporter={exporter} href={hrefOf(exporter)} />,
  },
];

/** Table of the saved exports, which repeat. */
interface ExportersTableProps {
  newHref: string;
  /** Returns the address of the form of an exporter. */
  hrefOf: (exporter: Exporter) => string;
}

export function ExportersTable({ newHref, hrefOf }: ExportersTableProps) {
  const params = useListParams('name');
  return (
    <DataTable
      label="Exporters"
      what="The exporters"
      columns={columnsOf(hrefOf)}
      query={useExporters(params.query)}
      params={params}
      rowKey={({ id }) => id}
      empty={
        <EmptyState
          title="No exporters yet"
          action={
            <Button component={Link} to={newHref}>
              New exporter
            </Button>
          }
        >
          An exporter repeats an export: on a schedule, after each run of a skript, or when you start it.
        </EmptyState>
      }
    />
  );
}
