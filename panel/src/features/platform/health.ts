import { queryOptions } from '@tanstack/react-query';
import { toApiError, unreachable } from '../../api/api-error.js';

const REFRESH_MS = 10_000;

interface Checks {
  [service: string]: { status?: string; responseTime?: number };
}

/** The answer has the checks also with status 503, so it is read without the API client. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }): Promise<Checks> => {
    const response = await fetch('/health/ready', { signal }).catch(() => {
      throw unreachable();
    });
    // A proxy in front of Trawl may answer with a page.
    const body = (await response.json().catch(() => null)) as { details?: Checks } | null;
    if (!body?.details) throw toApiError(body, response.status);
    return body.details;
  },
  refetchInterval: REFRESH_MS,
  retry: false,
});
