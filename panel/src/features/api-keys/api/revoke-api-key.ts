import { api, unwrap } from '../../../api/client.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { API_KEYS_KEY } from './list-api-keys.js';

export const useRevokeApiKey = () =>
  useChange({
    send: (keyId: string) => unwrap(api.DELETE('/joint-api/keys/{key_id}', { params: { path: { key_id: keyId } } })),
    done: () => 'The key is revoked and no longer works.',
    failed: 'The key could not be revoked',
    reload: [API_KEYS_KEY],
  });
