import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

/** The most that the API returns in one list. */
const LIMIT = 1_000;

/** Chooses a pool of proxies by its name. Keeps the name of a pool that was deleted. */
export function PoolField({ value, ...props }: SelectProps) {
  const { data } = useQuery({
    queryKey: [...QUERY_KEYS.proxyPools, 'names'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/proxy-pools/list', { params: { query: { limit: LIMIT, sort: 'name' } }, signal })),
    select: ({ items }) => items.map(({ name }) => name),
  });
  const names = data ?? [];
  return (
    <Select
      description="All connections of a run go through proxies of the pool. You add pools under Skripts, Crawling, Proxies."
      placeholder="No proxies"
      data={value && !names.includes(value) ? [value, ...names] : names}
      clearable
      searchable
      nothingFoundMessage="No pools yet"
      mb="md"
      value={value}
      {...props}
    />
  );
}
