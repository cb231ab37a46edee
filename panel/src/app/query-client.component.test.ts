import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { keepErrors, PanelQueryClient, queryClient } from './query-client.js';

// A component test, although it renders nothing: if the package of queries is first loaded without a window, it takes the
// process for a server, and no later test of the process sees a query poll.

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

it('a query that is invalidated during its first fetch is fetched once more, as one with data is', async () => {
  const client = new PanelQueryClient();
  let arrive = () => {};
  const late = new Promise<void>(resolve => {
    arrive = resolve;
  });
  let fetches = 0;
  const queryFn = async () => {
    fetches += 1;
    const read = `answer ${fetches}`;
    if (fetches === 1) await late;
    return read;
  };
  const observer = new QueryObserver(client, { queryKey: ['runs'], queryFn });
  const leave = observer.subscribe(() => {});
  const shown = () => observer.getCurrentResult().data;

  const changes = [client.invalidateQueries({ queryKey: ['runs'] }), client.invalidateQueries()];
  arrive();
  await Promise.all(changes);
  expect([shown(), fetches]).toEqual(['answer 2', 2]);
  await client.invalidateQueries();
  expect([shown(), fetches]).toEqual(['answer 3', 3]);
  leave();
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
