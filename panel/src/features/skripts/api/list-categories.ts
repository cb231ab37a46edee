import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

/** The most that the API returns in one list. */
const LIMIT = 1_000;

async function listCategories(signal: AbortSignal): Promise<string[]> {
  const { items } = await unwrap(
    api.GET('/joint-api/skripts/list', {
      params: { query: { limit: LIMIT, sort: '-updated_at', select: 'category' } },
      signal,
    }),
  );
  return [...new Set(items.flatMap(({ category }) => category ?? []))].sort((one, other) => one.localeCompare(other));
}

/** Lists the categories of the user's skripts by name. */
export const useCategories = () =>
  useQuery({
    queryKey: [...QUERY_KEYS.skripts, 'list', 'categories'],
    queryFn: ({ signal }) => listCategories(signal),
  });
