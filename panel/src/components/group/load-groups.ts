import { api, unwrap } from '../../api/client.js';
import type { Groups } from '../../api/entities.js';

type Query = { by: string; every?: 'hour' | 'day' | 'month'; of?: string; time_zone: string };

/** Loads groups of the documents that match the filter. */
export const loadCollectionGroups = (
  db_id: string,
  collection: string,
  query: Query & { filter?: string },
  signal: AbortSignal,
): Promise<Groups> =>
  unwrap(
    api.GET('/joint-api/mongo/{db_id}/{collection}/groups', { params: { path: { db_id, collection }, query }, signal }),
  );

/** Loads groups of the rows of a table. */
export const loadTableGroups = (
  table: string,
  query: Query & { schema: string },
  signal: AbortSignal,
): Promise<Groups> =>
  unwrap(api.GET('/joint-api/postgres-tables/{table}/groups', { params: { path: { table }, query }, signal }));
