import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';
import { notifyError } from '../../../../components/feedback/notify.js';

export const useDeleteInput = (skriptId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/joint-api/inputs/{input_id}', { params: { path: { input_id: id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['inputs', skriptId] }),
    onError: error => notifyError('The input could not be deleted', error),
  });
};
