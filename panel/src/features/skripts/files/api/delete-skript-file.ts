import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';
import { QUERY_KEYS } from '../../../../api/query-keys.js';
import { notifyError } from '../../../../components/feedback/notify.js';

export const useDeleteSkriptFile = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (fileId: string) =>
      unwrap(api.DELETE('/joint-api/skript-files/{skriptFile_id}', { params: { path: { skriptFile_id: fileId } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts }),
    onError: error => notifyError('The file could not be deleted', error),
  });
};
