import { api, unwrap } from '../../../../api/client.js';
import { useChange } from '../../../../components/feedback/use-change.js';

export const useDeleteInput = (skriptId: string) =>
  useChange({
    send: (id: string) => unwrap(api.DELETE('/joint-api/inputs/{input_id}', { params: { path: { input_id: id } } })),
    reload: [['inputs', skriptId]],
    failed: 'The input could not be deleted',
  });
