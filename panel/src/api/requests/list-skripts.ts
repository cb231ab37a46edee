import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import type { Listed, Skript } from '../entities.js';
import { QUERY_KEYS } from '../query-keys.js';

export interface SkriptsQuery {
  limit?: number;
  skip?: number;
  sort?: string;
  title_contains?: string;
  category?: string;
}

const skriptsQuery = (query: SkriptsQuery) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'list', query],
    queryFn: async ({ signal }) => {
      const list = await unwrap(api.GET('/joint-api/skripts/list', { params: { query }, signal }));
      // The server omits fields only if the query has `select`, which the panel never sends.
      return list as Listed<Skript>;
    },
    placeholderData: keepPreviousData,
  });

export const useSkripts = (query: SkriptsQuery, { isWanted = true } = {}) =>
  useQuery({ ...skriptsQuery(query), enabled: isWanted });
