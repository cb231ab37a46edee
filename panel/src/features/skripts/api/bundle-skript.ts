import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useBundleSkript = (skriptId: string) =>
  useChange({
    send: () =>
      unwrap(api.POST('/joint-api/skripts/{skript_id}/bundle', { params: { path: { skript_id: skriptId } } })),
    reload: [QUERY_KEYS.skripts],
  });
