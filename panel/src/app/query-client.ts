import { type Query, type QueryCache, QueryClient } from '@tanstack/react-query';
import { isTransient } from '../api/api-error.js';

/**
 * Lets a query without data that failed keep its error while it is fetched again, as one with data keeps its data.
 * Otherwise each poll would show a skeleton in place of the error, until its last retry has failed.
 */
export function keepErrors(cache: QueryCache): void {
  const errors = new WeakMap<Query, Error>();
  cache.subscribe(event => {
    const { query } = event;
    if (event.type === 'observerRemoved' && query.getObserversCount() === 0) errors.delete(query);
    if (event.type !== 'updated') return;
    if (event.action.type === 'error') errors.set(query, event.action.error);
    const error = errors.get(query);
    if (event.action.type === 'fetch' && query.state.status === 'pending' && error)
      query.setState({ status: 'error', error });
  });
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && isTransient(error),
    },
    // Requests and answers of changes contain passwords and keys, which must not stay in the cache.
    mutations: { gcTime: 0 },
  },
});
keepErrors(queryClient.getQueryCache());
