import { api, unwrap } from '../../../../api/client.js';
import { QUERY_KEYS } from '../../../../api/query-keys.js';
import { useChange } from '../../../../components/feedback/use-change.js';

export const useDeleteSkriptFile = () =>
  useChange({
    send: (fileId: string) =>
      unwrap(api.DELETE('/joint-api/skript-files/{skriptFile_id}', { params: { path: { skriptFile_id: fileId } } })),
    reload: [QUERY_KEYS.skripts],
    failed: 'The file could not be deleted',
  });
