import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import type { LastResult, Listed, ListedSkript } from '../entities.js';
import { QUERY_KEYS } from '../query-keys.js';

export interface SkriptsQuery {
  limit?: number;
  skip?: number;
  sort?: string;
  title_contains?: string;
  category?: string;
  tag?: string;
  last_result?: LastResult;
}

/** Large fields, which no list shows. With `select`, lists have the next fire of a skript. */
const UNLISTED = '-howto,-input_schema';

const skriptsQuery = (query: SkriptsQuery) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'list', query],
    queryFn: async ({ signal }) => {
      const list = await unwrap(
        api.GET('/joint-api/skripts/list', { params: { query: { ...query, select: UNLISTED } }, signal }),
      );
      return list as Listed<ListedSkript>;
    },
    placeholderData: keepPreviousData,
  });

export const useSkripts = (query: SkriptsQuery, { isWanted = true } = {}) =>
  useQuery({ ...skriptsQuery(query), enabled: isWanted });
