import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { JsonValue } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

/** Input of a run. The request sends the ids of saved inputs, or the values that the user typed. */
export type RunInput =
  | { from: 'stored'; input_id: string | null; inputSecret_id: string | null }
  | { from: 'typed'; input?: JsonValue; inputSecret?: JsonValue };

export interface RunRequest {
  skript_id: string;
  /** A worker's id, or `any`. */
  worker_id: string;
  force: boolean;
  input: RunInput;
  /** Limits of this run. A missing field takes its value from the skript's settings. */
  limits?: RunLimits;
}

export interface RunLimits {
  timeout_ms?: number;
  retries?: number;
  retry_delay_ms?: number;
}

/** The request does not wait for the end of the run, because the panel shows the run live. */
const WAIT_MS = 0;

const startRun = ({ skript_id, worker_id, force, input, limits }: RunRequest) => {
  if (input.from === 'typed') {
    const { from: _, ...values } = input;
    return unwrap(
      api.POST('/joint-api/execute-skript/single-worker/start', {
        params: { query: { force, wait_ms: WAIT_MS, ...limits } },
        body: { worker_id, skript_id, ...values },
      }),
    );
  }
  return unwrap(
    api.GET('/joint-api/execute-skript/single-worker/start', {
      params: {
        query: {
          worker_id,
          skript_id,
          input_id: input.input_id ?? undefined,
          inputSecret_id: input.inputSecret_id ?? undefined,
          force,
          wait_ms: WAIT_MS,
          ...limits,
        },
      },
    }),
  );
};

export const useStartRun = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: startRun,
    onSuccess: () => {
      // Reload the skripts, because starting a run builds a new bundle if the old one is out of date.
      void queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts });
      return queryClient.invalidateQueries({ queryKey: [...QUERY_KEYS.executions, 'list'] });
    },
  });
};
