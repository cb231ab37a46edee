import { queryOptions, useQuery } from '@tanstack/react-query';
import { toApiError, unreachable } from '../api-error.js';

export const OPENAPI_PATH = '/openapi.json';

const openApiQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }): Promise<unknown> => {
    const response = await fetch(OPENAPI_PATH, { signal }).catch(() => {
      throw unreachable();
    });
    if (!response.ok) throw toApiError(null, response.status);
    return response.json();
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * Loads the OpenAPI document of this server once, and returns what `select` takes from it.
 * @param select must be the same function on each render.
 */
export const useOpenApi = <Document, Selected>(select: (document: Document) => Selected) =>
  useQuery({ ...openApiQuery, select: select as (document: unknown) => Selected });
