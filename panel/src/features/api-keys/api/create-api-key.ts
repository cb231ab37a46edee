import { api, unwrap } from '../../../api/client.js';
import type { ApiKeyBody } from '../../../api/entities.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { API_KEYS_KEY } from './list-api-keys.js';

export const useCreateApiKey = () =>
  useChange({
    send: (body: ApiKeyBody) => unwrap(api.POST('/joint-api/keys/addnew', { body })),
    reload: [API_KEYS_KEY],
  });
