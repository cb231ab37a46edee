import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { EchoType } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';

export interface EchoQuery {
  execution_id: string;
  limit: number;
  after_seq?: number;
  type?: EchoType;
  contains?: string;
}

/** Loads a page of the echoes after `after_seq`: the saved echoes, then those that only the worker has so far. */
export const listEchoes = ({ execution_id, ...query }: EchoQuery, signal?: AbortSignal) =>
  unwrap(api.GET('/joint-api/echoes/{execution_id}/list', { params: { path: { execution_id }, query }, signal }));

const echoesQuery = (query: EchoQuery) =>
  queryOptions({
    queryKey: ['echoes', query],
    queryFn: ({ signal }) => listEchoes(query, signal),
    placeholderData: keepPreviousData,
  });

export const useEchoes = (query: EchoQuery) => useQuery({ ...echoesQuery(query), enabled: query.execution_id !== '' });
