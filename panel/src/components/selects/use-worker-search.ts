import { queryOptions, useQueries } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.js';
import type { Worker } from '../../api/entities.js';
import { QUERY_KEYS } from '../../api/query-keys.js';
import { useWorkers } from '../../api/requests/list-workers.js';
import { isMissing } from '../feedback/load-failure.js';
import { isUnanswered, useTypedSearch } from './use-typed-search.js';

const CHOICES = 50;

/** A chosen worker. It is not polled, because users may choose a hundred. */
const chosenQuery = (workerId: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.workers, 'chosen', workerId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/workers/{worker_id}', { params: { path: { worker_id: workerId } }, signal })),
  });

/**
 * Searches workers by name on the server, for a select.
 *
 * @param chosenIds ids of the chosen workers, which the found ones may lack.
 */
export function useWorkerSearch(chosenIds: readonly string[]) {
  const { onSearch, searched, isTyping } = useTypedSearch();
  const workers = useWorkers({ limit: CHOICES, sort: 'name', name_contains: searched || undefined });
  const chosen = useQueries({ queries: chosenIds.map(chosenQuery) });
  const found: Worker[] = workers.data?.items ?? [];
  const ids = new Set(found.map(({ id }) => id));
  return {
    found,
    /** The chosen workers that were not found. */
    others: chosen.flatMap(({ data }) => (data && !ids.has(data.id) ? [data] : [])),
    isMissing: chosen.some(({ error }) => isMissing(error)),
    source: workers,
    onSearch,
    isSearching: isTyping || isUnanswered(workers),
  };
}

/** Returns the choice of a worker for a run. */
export const workerChoice = ({ id, name, status, usable }: Worker) => ({
  value: id,
  label: `${name} (${usable ? status : 'cannot run your skripts'})`,
  disabled: !usable,
});

export const ANY_WORKER = { value: 'any', label: 'any – the least busy' };
