import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { noticeFailed } from '../../../components/notices.js';

export const useDeleteInput = (skriptId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/joint-api/inputs/{input_id}', { params: { path: { input_id: id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['inputs', skriptId] }),
    onError: error => noticeFailed('The input could not be deleted', error),
  });
};
