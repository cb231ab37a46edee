import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';

export const skriptFileKey = (fileId: string) => ['skript-files', 'one', fileId] as const;

/** One file with its content. Does nothing while `fileId` is empty. */
export const skriptFileQuery = (fileId: string) =>
  queryOptions({
    queryKey: skriptFileKey(fileId),
    queryFn:
      fileId === ''
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.GET('/joint-api/skript-files/{skriptFile_id}', {
                params: { path: { skriptFile_id: fileId } },
                signal,
              }),
            ),
  });

export const useSkriptFile = (fileId: string) => useQuery(skriptFileQuery(fileId));
