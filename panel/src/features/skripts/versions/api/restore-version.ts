import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';
import { notifyError, notifySuccess } from '../../../../components/feedback/notify.js';

export const useRestoreVersion = (skriptId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (hash: string) =>
      unwrap(
        api.POST('/joint-api/skripts/{skript_id}/versions/{hash}/restore', {
          params: { path: { skript_id: skriptId, hash } },
        }),
      ),
    onSuccess: ({ files: { added, changed, removed } }) => {
      notifySuccess(`The version is restored. Files added: ${added}, changed: ${changed}, removed: ${removed}.`);
      // Reload everything, because restoring a version changes the files and their contents.
      return queryClient.invalidateQueries();
    },
    onError: error => notifyError('The version could not be restored', error),
  });
};
