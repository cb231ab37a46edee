import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useDeleteExecution = () =>
  useChange({
    send: (executionId: string) =>
      unwrap(
        api.DELETE('/joint-api/skript-execution/{skriptExecution_id}', {
          params: { path: { skriptExecution_id: executionId } },
        }),
      ),
    done: () => 'The run is deleted.',
    reload: [[...QUERY_KEYS.executions, 'list']],
    failed: 'The run could not be deleted',
  });
