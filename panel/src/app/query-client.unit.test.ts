import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { keepErrors } from './query-client.js';

it('keeps the error of a failed query while it is fetched again, but not when a screen opens anew', async () => {
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
