import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';

export const useBundleSkript = (skriptId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(api.POST('/joint-api/skripts/{skript_id}/bundle', { params: { path: { skript_id: skriptId } } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts }),
  });
};
