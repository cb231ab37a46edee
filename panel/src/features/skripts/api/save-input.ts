import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { NamedValue } from '../named-values.js';

/** Makes a new one, or changes the one of `id`; without `val` its value stays. */
export const useSaveInput = (skriptId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, name, val }: NamedValue): Promise<void> => {
      const call =
        id === null
          ? api.POST('/joint-api/inputs/addnew', { body: { skript_id: skriptId, name, val: val?.value } })
          : api.PUT('/joint-api/inputs/{input_id}', {
              params: { path: { input_id: id } },
              body: { name, ...(val && { val: val.value }) },
            });
      await unwrap(call);
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['inputs', skriptId] }),
  });
};
