import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Execution } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { executionQuery } from '../../../api/requests/get-execution.js';
import { skriptQuery } from '../../../api/requests/get-skript.js';
import { type RunRequest, valuesOf } from '../start-call.js';

/** The request does not wait for the end of the run, because the panel shows the run live. */
const WAIT_MS = 0;

const mutationKey = ['start-run'];

const queryOf = ({ force, record, limits }: RunRequest) => ({ force, record, wait_ms: WAIT_MS, ...limits });

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
export const useStartRun = () => {
  const queryClient = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationKey,
    mutationFn: startRun,
    onSuccess: execution => {
      // Shows the run at once. A short run may have ended before this answer arrived, and its update with it: count the
      // answer as stale, so that the view fetches the run again.
      queryClient.setQueryData(executionQuery(execution.id).queryKey, execution, { updatedAt: 0 });
      refresh([execution]);
    },
  });
};

/** Starts a run on each worker. Each has a result of its own. */
export const useStartOnWorkers = () => {
  const refresh = useRefresh();
  return useMutation({
    mutationKey,
    mutationFn: startOnWorkers,
    onSuccess: ({ results }) => refresh(results.flatMap(({ execution }) => execution ?? [])),
  });
};

/** Returns true while a start waits for its answer. */
export const useIsStarting = (): boolean => useIsMutating({ mutationKey }) > 0;

function useRefresh() {
  const queryClient = useQueryClient();
  return (executions: Execution[]) => {
    void queryClient.invalidateQueries({ queryKey: [...QUERY_KEYS.executions, 'list'] });
    // A start builds a new bundle if the old one is out of date. Without a new one, the known skripts are still right.
    const isBuilt = executions.some(
      ({ skript, bundle_hash }) =>
        skript && queryClient.getQueryData(skriptQuery(skript.id).queryKey)?.bundle_hash !== bundle_hash,
    );
    if (isBuilt) void queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts });
  };
}
