import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';
import { API_KEYS_KEY } from './list-api-keys.js';

export const useRevokeApiKey = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (keyId: string) =>
      unwrap(api.DELETE('/joint-api/keys/{key_id}', { params: { path: { key_id: keyId } } })),
    onSuccess: () => notifySuccess('The key is revoked and no longer works.'),
    onError: error => notifyError('The key could not be revoked', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: API_KEYS_KEY }),
  });
};
