import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';
import { notifyError } from '../../../../components/feedback/notify.js';

export const useDeleteInputSecret = (skriptId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/joint-api/input-secrets/{inputSecret_id}', { params: { path: { inputSecret_id: id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['input-secrets', skriptId] }),
    onError: error => notifyError('The input secret could not be deleted', error),
  });
};
