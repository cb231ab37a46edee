import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { countText } from '@trawl/contracts';
import { api, unwrap } from '../../api/client.js';
import type { Queue } from '../../api/entities.js';
import { useChange } from '../../components/feedback/use-change.js';

const QUEUES_KEY = ['queues'];
/** Runs take and add requests at any time. */
const REFRESH_MS = 5_000;

interface ListQuery {
  limit: number;
  skip: number;
  sort: string;
}

export const useQueues = (query: ListQuery & { name_contains?: string }) =>
  useQuery({
    queryKey: [...QUEUES_KEY, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/queues/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useQueue = (id: string) =>
  useQuery({
    queryKey: [...QUEUES_KEY, 'one', id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/queues/{queue_id}', { params: { path: { queue_id: id } }, signal })),
    refetchInterval: REFRESH_MS,
  });

export const useQueueHosts = (id: string, query: ListQuery) =>
  useQuery({
    queryKey: [...QUEUES_KEY, 'hosts', id, query],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/queues/{queue_id}/hosts', { params: { path: { queue_id: id }, query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useRetryFailed = () =>
  useChange({
    send: ({ id }: Queue) =>
      unwrap(api.POST('/joint-api/queues/{queue_id}/retry-failed', { params: { path: { queue_id: id } } })),
    reload: [QUEUES_KEY],
    done: ({ retried }, { name }) => `${countText(retried, 'request')} of ${name} will be tried again by the next run.`,
    failed: 'The requests were not put back',
  });

export const useEmptyQueue = () =>
  useChange({
    send: ({ id }: Queue) =>
      unwrap(api.POST('/joint-api/queues/{queue_id}/empty', { params: { path: { queue_id: id } } })),
    reload: [QUEUES_KEY],
    done: (_, { name }) => `The queue ${name} is empty.`,
    failed: 'The queue could not be emptied',
  });

export const useDeleteQueue = () =>
  useChange({
    send: ({ id }: Queue) => unwrap(api.DELETE('/joint-api/queues/{queue_id}', { params: { path: { queue_id: id } } })),
    reload: [QUEUES_KEY],
    done: (_, { name }) => `The queue ${name} is deleted.`,
    failed: 'The queue could not be deleted',
  });
