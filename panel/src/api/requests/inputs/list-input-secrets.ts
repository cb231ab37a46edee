import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../client.js';

/** All input secrets of a skript, without their values. Does nothing while `skriptId` is empty. */
const inputSecretsQuery = (skriptId: string) =>
  queryOptions({
    queryKey: ['input-secrets', skriptId],
    queryFn:
      skriptId === ''
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.GET('/joint-api/input-secrets/list', {
                params: { query: { skript_id: skriptId, sort: 'name', limit: 1000 } },
                signal,
              }),
            ),
  });

export const useInputSecrets = (skriptId: string) => useQuery(inputSecretsQuery(skriptId));
