import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { keptCollection } from '../kept-collections.js';

/** The titles of the user's skripts. Asks only if a collection is named after one. */
export function useSkriptTitles(collections: readonly string[]): (skriptId: string) => string | undefined {
  const { data } = useQuery({
    queryKey: [...QUERY_KEYS.skripts, 'titles'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/skripts/list', { params: { query: { select: 'title', limit: 1000 } }, signal })),
    enabled: collections.some(name => keptCollection(name) !== null),
  });
  const titles = new Map(data?.items.map(({ id, title }) => [id, title]));
  return skriptId => titles.get(skriptId);
}
