import { Button, Group, Menu } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Webhook } from '../../../api/entities.js';
import { useSkript } from '../../../api/requests/get-skript.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { notifyError } from '../../../components/feedback/notify.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { RowMenu } from '../../../components/list/row-menu.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { Status } from '../../../components/values/status.js';
import { TimeText } from '../../../components/values/time-text.js';
import { eventLabel } from './event-choices.js';
import { SecretModal, WebhookModal } from './webhook-modal.js';
import { useDeleteWebhook, useRotateSecret, useTestWebhook, useUpdateWebhook, useWebhooks } from './webhooks.js';

function SkriptName({ id }: { id: string }) {
  const skript = useSkript(id).data;
  return <>only of {skript ? inReadingOrder(skript.title) : 'one skript'}</>;
}

function WebhookState({ webhook: { enabled, disabled_reason: reason, failing_since: since } }: { webhook: Webhook }) {
  if (!enabled)
    return (
      <div>
        <Status tone="quiet" label="disabled" hollow />
        {reason && <span className="cell-sub">{reason}</span>}
      </div>
    );
  if (since)
    return (
      <div>
        <Status tone="error" label="failing" />
        <span className="cell-sub">
          since <TimeText iso={since} />
        </span>
      </div>
    );
  return <Status tone="ok" label="on" />;
}

/** Path of the deliveries of a webhook. Relative paths are right only on the page of the account. */
const deliveriesHref = (base: string, { id }: Webhook): string => `${base}?tab=notifications&webhook=${id}`;

function WebhookActions({ webhook, base }: { webhook: Webhook; base: string }) {
  const [isChanging, setChanging] = useState(false);
  const update = useUpdateWebhook(webhook.id);
  const rotate = useRotateSecret(webhook.id);
  const test = useTestWebhook();
  const remove = useDeleteWebhook();
  const { name, enabled } = webhook;
  const setEnabled = () =>
    update.mutate({ enabled: !enabled }, { onError: error => notifyError(`${name} was not changed`, error) });
  const askToRotate = () =>
    confirmDelete({
      title: `Replace the secret of ${name}?`,
      children: 'You get a new secret. For 24 hours Trawl signs with the old one too, so that no event is lost.',
      confirmLabel: 'Replace secret',
      onConfirm: () => rotate.mutate(),
    });
  const confirmDeletion = () =>
    confirmDelete({
      title: `Delete ${name}?`,
      children: 'The webhook and its deliveries are deleted, also those that are not sent yet.',
      confirmLabel: 'Delete webhook',
      onConfirm: () => remove.mutate(webhook),
    });
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Button
        size="compact-sm"
        variant="default"
        loading={test.isPending}
        onClick={() => test.mutate(webhook)}
        aria-label={`Send a test event to ${name}`}
      >
        Test
      </Button>
      <RowMenu of={name} isBusy={remove.isPending || rotate.isPending}>
        <Menu.Item component={Link} to={deliveriesHref(base, webhook)}>
          Show deliveries
        </Menu.Item>
        <Menu.Item onClick={() => setChanging(true)}>Change…</Menu.Item>
        <Menu.Item onClick={setEnabled}>{enabled ? 'Disable' : 'Enable'}</Menu.Item>
        <Menu.Item onClick={askToRotate}>Replace the secret…</Menu.Item>
        <Menu.Item color="red" onClick={confirmDeletion}>
          Delete…
        </Menu.Item>
      </RowMenu>
      {isChanging && <WebhookModal webhook={webhook} onClose={() => setChanging(false)} />}
      {rotate.data && <SecretModal name={name} secret={rotate.data.secret} onClose={rotate.reset} />}
    </Group>
  );
}

/** @param base path of the account's page; '' on that page itself. */
const columnsOf = (base: string): Column<Webhook>[] => [
  {
    key: 'name',
    title: 'Webhook',
    sortBy: 'name',
    lead: true,
    render: webhook => (
      <>
        <Link className="cell-title" to={deliveriesHref(base, webhook)}>
          {webhook.name}
        </Link>
        <span className="cell-sub clip" title={webhook.url}>
          {webhook.url}
        </span>
      </>
    ),
  },
  {
    key: 'events',
    title: 'Events',
    render: ({ events, skript_id: skriptId }) => (
      <div>
        {events.map(eventLabel).join(', ')}
        <span className="cell-sub">{skriptId ? <SkriptName id={skriptId} /> : 'of the whole account'}</span>
      </div>
    ),
  },
  {
    key: 'state',
    title: 'State',
    brief: true,
    sortBy: 'enabled',
    render: webhook => <WebhookState webhook={webhook} />,
  },
  {
    key: 'actions',
    title: 'Actions',
    actions: true,
    render: webhook => <WebhookActions webhook={webhook} base={base} />,
  },
];

export function WebhooksTable({ onNew }: { onNew: () => void }) {
  const params = useListParams('name');
  return (
    <DataTable
      label="Webhooks"
      what="The webhooks"
      columns={columnsOf('')}
      query={useWebhooks(params.query)}
      params={params}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No webhooks yet" action={<Button onClick={onNew}>New webhook</Button>}>
          A webhook tells your own program of runs, schedules, exports and imports.
        </EmptyState>
      }
    />
  );
}

/** A webhook quota is far below it. */
const ALL = 100;

interface WebhooksOfSkriptProps {
  skriptId: string;
  /** Path of the account's page. */
  accountHref: string;
}

/** The webhooks that hear of a skript: its own, and those of the whole account. */
export function WebhooksOfSkript({ skriptId, accountHref }: WebhooksOfSkriptProps) {
  const query = useWebhooks({ limit: ALL, skip: 0, sort: 'name' });
  const items = query.data?.items.filter(({ skript_id: of }) => of === null || of === skriptId) ?? [];
  const own = query.data ? { ...query, data: { ...query.data, total: items.length, items } } : query;
  return (
    <DataTable
      label="Webhooks"
      what="The webhooks"
      columns={columnsOf(accountHref)}
      query={own as typeof query}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No webhook for this skript yet">
          A webhook tells a chat or your own program when a run of this skript fails, ends, or is missed.
        </EmptyState>
      }
    />
  );
}
