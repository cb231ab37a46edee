import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../client.js';
import { QUERY_KEYS } from '../query-keys.js';

/** One skript. Does nothing while `skriptId` is empty. */
export const skriptQuery = (skriptId: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'one', skriptId],
    queryFn:
      skriptId === ''
        ? skipToken
        : ({ signal }) =>
            unwrap(api.GET('/joint-api/skripts/{skript_id}', { params: { path: { skript_id: skriptId } }, signal })),
  });

export const useSkript = (skriptId: string) => useQuery(skriptQuery(skriptId));

/** One version with the contents of its files. */
export const versionQuery = (skriptId: string, hash: string) =>
  queryOptions({
    queryKey: [...QUERY_KEYS.skripts, 'version', skriptId, hash],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skripts/{skript_id}/versions/{hash}', {
          params: { path: { skript_id: skriptId, hash } },
          signal,
        }),
      ),
  });

export const useVersion = (skriptId: string, hash: string) => useQuery(versionQuery(skriptId, hash));

/** The version that a run executed. Does nothing if it is not wanted, and before the run has a version. */
export const useRanVersion = (
  { skript, bundle_hash: hash }: { skript: { id: string }; bundle_hash: string | null },
  isWanted = true,
) => useQuery({ ...versionQuery(skript.id, hash ?? ''), enabled: isWanted && hash !== null });
