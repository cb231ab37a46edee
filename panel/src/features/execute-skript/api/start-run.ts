import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { type RunRequest, valuesOf } from '../start-call.js';

/** The request does not wait for the end of the run, because the panel shows the run live. */
const WAIT_MS = 0;

const queryOf = ({ force, limits }: RunRequest) => ({ force, wait_ms: WAIT_MS, ...limits });

const startRun = (request: RunRequest) =>
  unwrap(
    api.POST('/joint-api/execute-skript/single-worker/start', {
      params: { query: queryOf(request) },
      body: { ...valuesOf(request), worker_id: request.worker_ids[0] ?? 'any' },
    }),
  );

const startOnWorkers = (request: RunRequest) =>
  unwrap(
    api.POST('/joint-api/execute-skript/multi-worker/start', {
      params: { query: queryOf(request) },
      body: { ...valuesOf(request), worker_ids: [...request.worker_ids] },
    }),
  );

/** Starts one run on the first of the workers. */
export const useStartRun = () => useMutation({ mutationFn: startRun, onSuccess: useRefresh() });

/** Starts a run on each worker. Each has a result of its own. */
export const useStartOnWorkers = () => useMutation({ mutationFn: startOnWorkers, onSuccess: useRefresh() });

function useRefresh() {
  const queryClient = useQueryClient();
  return () => {
    // Reload the skripts, because starting a run builds a new bundle if the old one is out of date.
    void queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts });
    return queryClient.invalidateQueries({ queryKey: [...QUERY_KEYS.executions, 'list'] });
  };
}
