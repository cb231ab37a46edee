import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';
import { QUERY_KEYS } from '../../../../api/query-keys.js';

export const useCreateSkriptFile = (skriptId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (file: { name: string; content: string }) =>
      unwrap(api.POST('/joint-api/skript-files/addnew', { body: { skript_id: skriptId, ...file } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts }),
  });
};
