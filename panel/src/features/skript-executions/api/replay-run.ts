import { api, unwrap } from '../../../api/client.js';
import type { ReplayChoice } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

interface ReplayRequest extends ReplayChoice {
  /** The recorded run. */
  id: string;
}

/** Runs a skript against the record of a run: its current files without the network, unless the request says otherwise. */
export const useReplayRun = () =>
  useChange({
    send: ({ id, ...body }: ReplayRequest) =>
      unwrap(
        api.POST('/joint-api/skript-execution/{skriptExecution_id}/replay', {
          params: { path: { skriptExecution_id: id }, query: { wait_ms: 0 } },
          body,
        }),
      ),
    done: () => 'The replay has started.',
    failed: 'The replay did not start',
    reload: [QUERY_KEYS.executions],
  });
