import { api, unwrap } from '../../../api/client.js';
import type { SkriptBody } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useUpdateSkript = (skriptId: string) =>
  useChange({
    send: (body: Partial<SkriptBody>) =>
      unwrap(api.PUT('/joint-api/skripts/{skript_id}', { params: { path: { skript_id: skriptId } }, body })),
    done: () => 'The settings are saved.',
    reload: [QUERY_KEYS.skripts],
  });
