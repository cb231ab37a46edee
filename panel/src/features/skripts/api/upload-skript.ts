import { api, unwrap } from '../../../api/client.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { pack } from '../dropped/pack.js';
import { readFiles } from '../dropped/read-dropped.js';
import { isZip } from '../dropped/unpack.js';

/** The API takes only zip archives. */
const zipOf = async (archive: File): Promise<File> =>
  isZip(archive.name) ? archive : pack(await readFiles([archive]));

/** Uploads a zip with the files, inputs and `manifest.json` of a skript. */
export const uploadArchive = (zip: File, overwrite: boolean) =>
  unwrap(
    api.POST('/joint-api/skripts/upload', {
      params: { query: { overwrite } },
      // The OpenAPI document types binary content as a string.
      body: zip as unknown as { archive: string },
      bodySerializer: bytes => bytes,
      headers: { 'Content-Type': 'application/zip' },
    }),
  );

export const useUploadSkript = () =>
  useChange({
    send: async ({ archive, overwrite }: { archive: File; overwrite: boolean }) =>
      uploadArchive(await zipOf(archive), overwrite),
    // Reload everything, because an upload can change the files, inputs and settings of an existing skript.
    reload: [[]],
  });
