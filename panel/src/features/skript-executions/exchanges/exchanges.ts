import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { isLive } from '@trawl/contracts';
import { api, download, unwrap } from '../../../api/client.js';
import type { Execution } from '../../../api/entities.js';
import { notifyError } from '../../../components/feedback/notify.js';

/** A worker sends the exchanges shortly after the end of the run. The list is read again until then. */
const REFRESH_MS = 2_000;
const ARRIVES_WITHIN_MS = 20_000;

/** Whether Trawl keeps what the run saw. */
export const isKept = ({ action, verdict }: Execution): boolean => action === 'error' || verdict?.level === 'broken';

const exchangesQuery = (execution: Execution) =>
  queryOptions({
    queryKey: ['exchanges', execution.id, execution.action],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skript-execution/{skriptExecution_id}/exchanges', {
          params: { path: { skriptExecution_id: execution.id } },
          signal,
        }),
      ),
    refetchInterval: ({ state: { data } }) => {
      const mayArrive = isKept(execution) && Date.now() - Date.parse(execution.updated_at) < ARRIVES_WITHIN_MS;
      return mayArrive && data?.items.length === 0 && data.page === null ? REFRESH_MS : false;
    },
    enabled: !isLive(execution.action),
  });

export const useExchanges = (execution: Execution) => useQuery(exchangesQuery(execution));

const exchangeQuery = (id: string, sequence: number) =>
  queryOptions({
    queryKey: ['exchange', id, sequence],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skript-execution/{skriptExecution_id}/exchanges/{sequence}', {
          params: { path: { skriptExecution_id: id, sequence } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useExchange = (id: string, sequence: number) => useQuery(exchangeQuery(id, sequence));

/** Saves all exchanges of a run as an HTTP archive. */
export const useDownloadExchanges = () =>
  useMutation({
    mutationFn: (id: string) => download(`/joint-api/skript-execution/${id}/exchanges.har`, `exchanges-${id}.har`),
    onError: error => notifyError('The exchanges could not be downloaded', error),
  });
