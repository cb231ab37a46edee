import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { pack } from '../dropped/pack.js';
import { readFiles } from '../dropped/read-dropped.js';
import { isZip } from '../dropped/unpack.js';

/** The API takes only zip archives. */
const zipOf = async (archive: File): Promise<File> =>
  isZip(archive.name) ? archive : pack(await readFiles([archive]));

export const useUploadSkript = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ archive, overwrite }: { archive: File; overwrite: boolean }) =>
      unwrap(
        api.POST('/joint-api/skripts/upload', {
          params: { query: { overwrite } },
          // The OpenAPI document types binary content as a string.
          body: (await zipOf(archive)) as unknown as { archive: string },
          bodySerializer: bytes => bytes,
          headers: { 'Content-Type': 'application/zip' },
        }),
      ),
    // Reload everything, because an upload can change the files, inputs and settings of an existing skript.
    onSuccess: () => queryClient.invalidateQueries(),
  });
};
