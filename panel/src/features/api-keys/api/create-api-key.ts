import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { ApiKeyBody } from '../../../api/entities.js';
import { API_KEYS_KEY } from './list-api-keys.js';

export const useCreateApiKey = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ApiKeyBody) => unwrap(api.POST('/joint-api/keys/addnew', { body })),
    // The response contains the key, which must not stay in the cache.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: API_KEYS_KEY }),
  });
};
