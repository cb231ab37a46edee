import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Action } from '@trawl/contracts';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

export interface ExecutionsQuery {
  limit?: number;
  skip?: number;
  sort?: string;
  skript_id?: string;
  worker_id?: string;
  action?: Action;
  retry_of?: string;
  schedule_id?: string;
  issue_id?: string;
  /** ISO times. Runs created at `created_from` are included, runs created at `created_to` are not. */
  created_from?: string;
  created_to?: string;
}

const executionsQuery = (query: ExecutionsQuery) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.executions, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/skript-execution/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useExecutions = (query: ExecutionsQuery) => useQuery(executionsQuery(query));

/** The latest runs of all skripts, or of one, for a select box. */
export const useRecentExecutions = (skriptId: string) =>
  useExecutions({ limit: 200, sort: '-created_at', skript_id: skriptId || undefined });
