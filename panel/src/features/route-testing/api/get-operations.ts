import { queryOptions, useQuery } from '@tanstack/react-query';
import { toApiError, unreachable } from '../../../api/api-error.js';
import { readOperations } from '../operations.js';

/** Loads the OpenAPI document of this server. */
export const DOCUMENT_PATH = '/openapi.json';

const operationsQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }) => {
    const response = await fetch(DOCUMENT_PATH, { signal }).catch(() => {
      throw unreachable();
    });
    if (!response.ok) throw toApiError(null, response.status);
    return readOperations(await response.json());
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export const useOperations = () => useQuery(operationsQuery);
