import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';

export const useUploadSkript = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (archive: File) =>
      unwrap(
        api.POST('/joint-api/skripts/upload', {
          // The document's way of saying bytes is a string.
          body: archive as unknown as string,
          bodySerializer: bytes => bytes,
          headers: { 'Content-Type': 'application/zip' },
        }),
      ),
    // An overwritten skript has other files, inputs and settings.
    onSuccess: () => queryClient.invalidateQueries(),
  });
};
