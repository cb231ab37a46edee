import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  type QueryCache,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
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

/** The client of the panel, and of tests of its screens. */
export class PanelQueryClient extends QueryClient {
  /**
   * Marks queries as old, and fetches those on the screen. A query that is being fetched for the first time, such as one
   * for a search that the user has just typed, is fetched once more after that: the server may have read its answer
   * before the change. TanStack Query cancels only fetches of queries that have data. It would show this old answer.
   */
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const withoutData = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' })
      .filter(({ state }) => state.data === undefined);
    await Promise.all([
      super.invalidateQueries(filters, options),
      ...withoutData.map(query => query.promise?.then(() => this.#fetchAgain(query), doNothing)),
    ]);
  }

  /** Several changes may wait for the same first answer. They share the second one, which no change of them precedes. */
  #fetchAgain({ queryKey }: Query): Promise<void> {
    return this.refetchQueries({ queryKey, exact: true, type: 'active' }, { cancelRefetch: false });
  }
}

/** A fetch that failed has brought no old data. */
const doNothing = (): void => {};

export const queryClient = new PanelQueryClient({
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
