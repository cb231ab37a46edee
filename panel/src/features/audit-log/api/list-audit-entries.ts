import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';

export interface AuditQuery {
  limit: number;
  skip: number;
  sort: string;
  user_id?: string;
  /** OpenAPI operationId. */
  action?: string;
  /** ISO times. Entries made at `from` are included, entries made at `to` are not. */
  from?: string;
  to?: string;
}

const auditQuery = (query: AuditQuery) =>
  queryOptions({
    queryKey: ['audit', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/audit/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

/** For administrators. */
export const useAuditEntries = (query: AuditQuery) => useQuery(auditQuery(query));
