import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';

export const useUploadSkript = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ archive, overwrite }: { archive: File; overwrite: boolean }) =>
      unwrap(
        api.POST('/joint-api/skripts/upload', {
          params: { query: { overwrite } },
          // The OpenAPI document types binary content as a string.
          body: archive as unknown as { archive: string },
          bodySerializer: bytes => bytes,
          headers: { 'Content-Type': 'application/zip' },
        }),
      ),
    // Reload everything, because an upload can change the files, inputs and settings of an existing skript.
    onSuccess: () => queryClient.invalidateQueries(),
  });
};
