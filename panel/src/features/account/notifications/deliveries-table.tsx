import { Button, Drawer } from '@mantine/core';
import { DELIVERY_STATES, type DeliveryState } from '@trawl/contracts';
import { useState } from 'react';
import type { WebhookDelivery } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { ChoiceFilter } from '../../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { durationText } from '../../../components/values/duration-text.js';
import { FoldedText } from '../../../components/values/folded-text.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { Status } from '../../../components/values/status.js';
import { eventLabel } from './event-choices.js';
import { useDeliveries, useResend } from './webhooks.js';

const TONES = { pending: 'warn', delivered: 'ok', failed: 'error' } as const satisfies Record<DeliveryState, string>;

const answerWords = ({ response_status: status, error, duration_ms: ms }: WebhookDelivery): string =>
  [status !== null && `status ${status}`, ms !== null && `after ${durationText(ms)}`, error].filter(Boolean).join(', ');

function ResendButton({ webhookId, delivery }: { webhookId: string; delivery: WebhookDelivery }) {
  const resend = useResend(webhookId);
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={resend.isPending}
      onClick={() => resend.mutate(delivery.id)}
      aria-label={`Send again: ${eventLabel(delivery.event)}`}
    >
      Send again
    </Button>
  );
}

/** Table of the events sent to a webhook in the last 30 days, with the answers of its receiver. */
export function DeliveriesTable({ webhookId }: { webhookId: string }) {
  const params = useListParams('-created_at');
  const [openedId, setOpenedId] = useState<string | null>(null);
  const state = params.get('state');
  const query = useDeliveries(webhookId, {
    ...params.query,
    state: (state || undefined) as DeliveryState | undefined,
  });
  const opened = query.data?.items.find(({ id }) => id === openedId);
  const columns: Column<WebhookDelivery>[] = [
    {
      key: 'event',
      title: 'Event',
      lead: true,
      render: delivery => (
        <button type="button" className="cell-title cell-button" onClick={() => setOpenedId(delivery.id)}>
          {eventLabel(delivery.event)}
        </button>
      ),
    },
    {
      key: 'state',
      title: 'State',
      brief: true,
      render: delivery => (
        <Status tone={TONES[delivery.state]} label={delivery.state} hollow={delivery.state === 'pending'} />
      ),
    },
    { key: 'attempts', title: 'Attempts', render: ({ attempts }) => <span className="tabular">{attempts}</span> },
    { key: 'answer', title: 'Last answer', render: answerWords },
    {
      key: 'created',
      title: 'When',
      brief: true,
      sortBy: 'created_at',
      render: delivery => <RelativeTime iso={delivery.created_at} />,
    },
    {
      key: 'actions',
      title: 'Actions',
      actions: true,
      render: delivery => <ResendButton webhookId={webhookId} delivery={delivery} />,
    },
  ];
  return (
    <>
      <DataTable
        label="Deliveries"
        what="The deliveries"
        columns={columns}
        query={query}
        params={params}
        rowKey={({ id }) => id}
        toolbar={
          <ChoiceFilter params={params} name="state" label="All states" choices={[...DELIVERY_STATES]} width={190} />
        }
        empty={
          <EmptyState title="Nothing sent yet">
            {state ? 'No delivery is in this state.' : 'Send a test event to see whether your receiver answers.'}
          </EmptyState>
        }
      />
      <Drawer
        opened={opened !== undefined}
        onClose={() => setOpenedId(null)}
        position="right"
        size="lg"
        title={opened && eventLabel(opened.event)}
        closeButtonProps={{ 'aria-label': 'Close the delivery' }}
      >
        {opened && (
          <>
            <h3 className="drawer-title">Sent</h3>
            <JsonTree value={opened.payload} openDepth={3} />
            <h3 className="drawer-title">Answer</h3>
            <p className="tab-note">{answerWords(opened) || 'None yet.'}</p>
            {opened.response_body && (
              <pre className="answer-body">
                <FoldedText text={opened.response_body} />
              </pre>
            )}
          </>
        )}
      </Drawer>
    </>
  );
}
