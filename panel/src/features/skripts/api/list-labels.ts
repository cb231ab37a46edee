import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

/** The most that the API returns in one list. */
const LIMIT = 1_000;

interface Labels {
  categories: string[];
  tags: string[];
}

const sorted = (texts: string[]): string[] => [...new Set(texts)].sort((one, other) => one.localeCompare(other));

async function listLabels(signal: AbortSignal): Promise<Labels> {
  const { items } = await unwrap(
    api.GET('/joint-api/skripts/list', {
      params: { query: { limit: LIMIT, sort: '-updated_at', select: 'category,tags' } },
      signal,
    }),
  );
  return {
    categories: sorted(items.flatMap(({ category }) => category ?? [])),
    tags: sorted(items.flatMap(({ tags }) => tags ?? [])),
  };
}

/** Lists the categories and tags of the user's skripts by name. */
export const useLabels = () =>
  useQuery({
    queryKey: [...QUERY_KEYS.skripts, 'list', 'labels'],
    queryFn: ({ signal }) => listLabels(signal),
  });
