import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { keepErrors, queryClient } from './query-client.js';

it('a failed query keeps its error while it is fetched again, but not when its screen opens again', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  keepErrors(client.getQueryCache());
  let answer: () => Promise<string> = () => Promise.reject(new Error('Broken.'));
  const observer = new QueryObserver(client, { queryKey: ['runs'], queryFn: () => answer() });
  const seen: string[] = [];
  const watch = () =>
    observer.subscribe(({ status, fetchStatus, error, data }) =>
      seen.push(`${status} ${fetchStatus} ${error?.message ?? data ?? ''}`.trim()),
    );

  let leave = watch();
  await observer.refetch();
  await observer.refetch();
  expect(seen).toContain('error fetching Broken.');
  answer = async () => '12 runs';
  await observer.refetch();
  expect(seen.at(-1)).toBe('success idle 12 runs');

  client.removeQueries();
  answer = () => Promise.reject(new Error('Broken.'));
  observer.setOptions({ queryKey: ['workers'], queryFn: () => answer() });
  await observer.refetch();
  leave();
  seen.length = 0;
  leave = watch();
  await observer.refetch();
  leave();
  expect(seen[0]).toBe('pending fetching');
  client.clear();
});

it('passwords and keys sent by a form leave the cache when its screen closes', async () => {
  const observer = new MutationObserver(queryClient, {
    mutationFn: async (password: string) => ({ key: `key for ${password}` }),
  });
  const close = observer.subscribe(() => {});
  await observer.mutate('s3cret');
  const cached = () => queryClient.getMutationCache().getAll();
  expect(cached()).toHaveLength(1);
  close();
  await new Promise(resolve => setTimeout(resolve));
  expect(cached()).toEqual([]);
});
