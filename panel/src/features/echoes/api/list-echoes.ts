import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { EchoType } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';

export interface EchoQuery {
  execution_id: string;
  limit: number;
  after_seq?: number;
  before_seq?: number;
  type?: EchoType;
  contains?: string;
}

/** Loads a page of echoes: the saved ones and those that only the worker has so far. */
export const listEchoes = ({ execution_id, ...query }: EchoQuery, signal?: AbortSignal) =>
  unwrap(api.GET('/joint-api/echoes/{execution_id}/list', { params: { path: { execution_id }, query }, signal }));

const echoesQuery = (query: EchoQuery) =>
  queryOptions({
    queryKey: ['echoes', query],
    queryFn: ({ signal }) => listEchoes(query, signal),
    placeholderData: keepPreviousData,
  });

/** @param refreshMs interval after which the echoes are read again */
export const useEchoes = (query: EchoQuery, refreshMs?: number) =>
  useQuery({ ...echoesQuery(query), enabled: query.execution_id !== '', refetchInterval: refreshMs });

const countQuery = ({ execution_id, ...filter }: Pick<EchoQuery, 'execution_id' | 'type' | 'contains'>) =>
  queryOptions({
    queryKey: ['echoes', 'count', execution_id, filter],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/echoes/{execution_id}/list', {
          params: { path: { execution_id }, query: { ...filter, limit: 1, count: true } },
          signal,
        }),
      ),
  });

/** Counts the echoes that match a filter. Does nothing without one. */
export const useEchoCount = (filter: Pick<EchoQuery, 'execution_id' | 'type' | 'contains'>, isFiltered: boolean) =>
  useQuery({ ...countQuery(filter), enabled: isFiltered });
