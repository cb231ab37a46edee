import { api, unwrap } from '../../../../api/client.js';
import { QUERY_KEYS } from '../../../../api/query-keys.js';
import { useChange } from '../../../../components/feedback/use-change.js';

export const useCreateSkriptFile = (skriptId: string) =>
  useChange({
    send: (file: { name: string; content: string }) =>
      unwrap(api.POST('/joint-api/skript-files/addnew', { body: { skript_id: skriptId, ...file } })),
    reload: [QUERY_KEYS.skripts],
  });
