import type { RestartMode } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useRestartWorker = (workerId: string) =>
  useChange({
    send: (mode: RestartMode) =>
      unwrap(
        api.POST('/joint-api/workers/{worker_id}/restart', {
          params: { path: { worker_id: workerId } },
          body: { mode },
        }),
      ),
    done: ({ name }) => `${name} accepts no new runs and restarts.`,
    reload: [QUERY_KEYS.workers],
  });
