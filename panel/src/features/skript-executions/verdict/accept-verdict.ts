import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

/** Says that the rows of a run are normal now. */
export const useAcceptVerdict = () =>
  useChange({
    send: (id: string) =>
      unwrap(
        api.POST('/joint-api/skript-execution/{skriptExecution_id}/verdict/accept', {
          params: { path: { skriptExecution_id: id } },
        }),
      ),
    done: () => 'The rows are accepted. Trawl compares later runs with this one.',
    failed: 'The rows could not be accepted',
    reload: [QUERY_KEYS.executions],
  });
