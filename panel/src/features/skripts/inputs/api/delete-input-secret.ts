import { api, unwrap } from '../../../../api/client.js';
import { useChange } from '../../../../components/feedback/use-change.js';

export const useDeleteInputSecret = (skriptId: string) =>
  useChange({
    send: (id: string) =>
      unwrap(api.DELETE('/joint-api/input-secrets/{inputSecret_id}', { params: { path: { inputSecret_id: id } } })),
    reload: [['input-secrets', skriptId]],
    failed: 'The input secret could not be deleted',
  });
