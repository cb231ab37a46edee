import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { SkriptBody } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifySuccess } from '../../../components/feedback/notify.js';

export const useUpdateSkript = (skriptId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Partial<SkriptBody>) =>
      unwrap(api.PUT('/joint-api/skripts/{skript_id}', { params: { path: { skript_id: skriptId } }, body })),
    onSuccess: () => {
      notifySuccess('The settings are saved.');
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts });
    },
  });
};
