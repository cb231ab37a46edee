import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const deleteSkript = (skriptId: string) =>
  unwrap(api.DELETE('/joint-api/skripts/{skript_id}', { params: { path: { skript_id: skriptId } } }));

export const useDeleteSkript = () =>
  useChange({
    send: deleteSkript,
    done: () => 'The skript is deleted.',
    reload: [[...QUERY_KEYS.skripts, 'list']],
    failed: 'The skript could not be deleted',
  });
