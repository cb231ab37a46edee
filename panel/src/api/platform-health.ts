import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client.js';

const REFRESH_MS = 60_000;

/** Disks, database and object store of the platform. */
export const platformHealthQuery = queryOptions({
  queryKey: ['platform-health'],
  queryFn: ({ signal }) => unwrap(api.GET('/joint-api/platform-health', { signal })),
  refetchInterval: REFRESH_MS,
});
