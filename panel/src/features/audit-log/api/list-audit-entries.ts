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

const auditQuery = (query: AuditQuery, isOwn: boolean) =>
  queryOptions({
    queryKey: ['audit', isOwn, query],
    queryFn: ({ signal }) => {
      if (!isOwn) return unwrap(api.GET('/joint-api/audit/list', { params: { query }, signal }));
      const { user_id: _, ...own } = query;
      return unwrap(api.GET('/joint-api/account/audit/list', { params: { query: own }, signal }));
    },
    placeholderData: keepPreviousData,
  });

/** The changes of the signed-in account, or, for administrators, of all accounts. */
export const useAuditEntries = (query: AuditQuery, isOwn: boolean) => useQuery(auditQuery(query, isOwn));
