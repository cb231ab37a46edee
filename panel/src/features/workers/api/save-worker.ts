import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export interface WorkerBody {
  name: string;
  public: boolean;
}

/** Changes the worker `workerId`, or creates one and resolves with its key. */
export const useSaveWorker = (workerId: string | null) =>
  useChange({
    send: async (body: WorkerBody): Promise<{ name: string; key: string | null }> => {
      if (workerId === null) return unwrap(api.POST('/joint-api/workers/addnew', { body }));
      const changed = api.PUT('/joint-api/workers/{worker_id}', { params: { path: { worker_id: workerId } }, body });
      return { name: (await unwrap(changed)).name, key: null };
    },
    reload: [QUERY_KEYS.workers],
  });
