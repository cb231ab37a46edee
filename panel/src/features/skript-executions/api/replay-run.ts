import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

/** Runs the current files of the skript against the record of a run. */
export const useReplayRun = () =>
  useChange({
    send: (id: string) =>
      unwrap(
        api.POST('/joint-api/skript-execution/{skriptExecution_id}/replay', {
          params: { path: { skriptExecution_id: id }, query: { wait_ms: 0 } },
          body: {},
        }),
      ),
    done: () => 'The replay has started.',
    failed: 'The replay did not start',
    reload: [QUERY_KEYS.executions],
  });
