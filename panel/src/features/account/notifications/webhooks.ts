import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { DeliveryState } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import type { Webhook, WebhookBody, WebhookChange } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

const WEBHOOKS_KEY = ['webhooks'];
const DELIVERIES_KEY = ['webhook-deliveries'];
const PENDING_MS = 2_000;

interface PageQuery {
  limit: number;
  skip: number;
  sort: string;
}

const webhooksQuery = (query: PageQuery) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/webhooks/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useWebhooks = (query: PageQuery) => useQuery(webhooksQuery(query));

const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, 'one', webhookId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/webhooks/{webhook_id}', { params: { path: { webhook_id: webhookId } }, signal })),
  });

export const useWebhook = (webhookId: string) => useQuery(webhookQuery(webhookId));

const deliveriesQuery = (webhookId: string, query: PageQuery & { state?: DeliveryState }) =>
  queryOptions({
    queryKey: [...DELIVERIES_KEY, webhookId, query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/webhooks/{webhook_id}/deliveries/list', {
          params: { path: { webhook_id: webhookId }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(one => one.state === 'pending') ? PENDING_MS : false),
  });

export const useDeliveries = (webhookId: string, query: PageQuery & { state?: DeliveryState }) =>
  useQuery(deliveriesQuery(webhookId, query));

const pathOf = (webhookId: string) => ({ params: { path: { webhook_id: webhookId } } });

export const useCreateWebhook = () =>
  useChange({
    send: (body: WebhookBody) => unwrap(api.POST('/joint-api/webhooks/addnew', { body })),
    reload: [WEBHOOKS_KEY, QUERY_KEYS.account],
  });

export const useUpdateWebhook = (webhookId: string) =>
  useChange({
    send: (body: WebhookChange) => unwrap(api.PUT('/joint-api/webhooks/{webhook_id}', { ...pathOf(webhookId), body })),
    reload: [WEBHOOKS_KEY],
    done: ({ name }) => `The webhook ${name} is saved.`,
  });

export const useRotateSecret = (webhookId: string) =>
  useChange({
    send: () => unwrap(api.POST('/joint-api/webhooks/{webhook_id}/secret', pathOf(webhookId))),
    reload: [WEBHOOKS_KEY],
    failed: 'The secret could not be replaced',
  });

export const useTestWebhook = () =>
  useChange({
    send: ({ id }: Webhook) => unwrap(api.POST('/joint-api/webhooks/{webhook_id}/test', pathOf(id))),
    reload: [WEBHOOKS_KEY, DELIVERIES_KEY],
    done: (_, { name }) => `A test event is on its way to ${name}.`,
    failed: 'The test event could not be sent',
  });

export const useDeleteWebhook = () =>
  useChange({
    send: ({ id }: Webhook) => unwrap(api.DELETE('/joint-api/webhooks/{webhook_id}', pathOf(id))),
    reload: [WEBHOOKS_KEY, QUERY_KEYS.account],
    done: (_, { name }) => `The webhook ${name} is deleted.`,
    failed: 'The webhook could not be deleted',
  });

export const useResend = (webhookId: string) =>
  useChange({
    send: (deliveryId: string) =>
      unwrap(
        api.POST('/joint-api/webhooks/{webhook_id}/deliveries/{delivery_id}/resend', {
          params: { path: { webhook_id: webhookId, delivery_id: deliveryId } },
        }),
      ),
    reload: [WEBHOOKS_KEY, DELIVERIES_KEY],
    done: () => 'The event is on its way again.',
    failed: 'The event could not be sent again',
  });
