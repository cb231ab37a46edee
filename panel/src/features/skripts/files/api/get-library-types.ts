import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../../../../api/client.js';

/**
 * The types of a skript's npm libraries.
 *
 * @param packageFile the saved text of `package.json`, which decides about them
 */
export const libraryTypesQuery = (skriptId: string, packageFile: string) =>
  queryOptions({
    queryKey: ['library-types', skriptId, packageFile] as const,
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skripts/{skript_id}/library-types', { params: { path: { skript_id: skriptId } }, signal }),
      ),
    // The versions of libraries stay the same as long as package.json does.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
