import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';
import { QUERY_KEYS } from '../../../../api/query-keys.js';
import { skriptFileKey } from './get-skript-file.js';

interface FileChange {
  fileId: string;
  name?: string;
  content?: string;
  /** Hash of the content that the change replaces. If the file has another one by now, the call fails. */
  baseHash?: string;
}

export const useUpdateSkriptFile = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ fileId, baseHash, ...body }: FileChange) =>
      unwrap(
        api.PUT('/joint-api/skript-files/{skriptFile_id}', {
          params: {
            path: { skriptFile_id: fileId },
            header: baseHash === undefined ? undefined : { 'If-Match': `"${baseHash}"` },
          },
          body,
        }),
      ),
    onSuccess: file => {
      queryClient.setQueryData(skriptFileKey(file.id), file);
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts });
    },
  });
};
