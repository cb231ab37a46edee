import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { noticeDone, noticeFailed } from '../../../components/notices.js';
import { API_KEYS_KEY } from './list-api-keys.js';

export const useRevokeApiKey = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (keyId: string) =>
      unwrap(api.DELETE('/joint-api/keys/{key_id}', { params: { path: { key_id: keyId } } })),
    onSuccess: () => noticeDone('The key is revoked: it is worth nothing from now on.'),
    onError: error => noticeFailed('The key could not be revoked', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: API_KEYS_KEY }),
  });
};
