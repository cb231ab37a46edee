import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { noticeDone, noticeFailed } from '../../../components/notices.js';

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
      noticeDone(`The version is restored: files added ${added}, changed ${changed}, removed ${removed}.`);
      // Its files are others now, and so are their contents.
      return queryClient.invalidateQueries();
    },
    onError: error => noticeFailed('The version could not be restored', error),
  });
};
