import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** The titles of the user's skripts, by their ids. */
export function useSkriptTitles({ isWanted }: { isWanted: boolean }): (skriptId: string) => string | undefined {
  const { data } = useQuery({
    queryKey: [...QUERY_KEYS.skripts, 'titles'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/skripts/list', { params: { query: { select: 'title', limit: 1000 } }, signal })),
    enabled: isWanted,
  });
  const titles = new Map(data?.items.map(({ id, title }) => [id, title]));
  return skriptId => titles.get(skriptId);
}
