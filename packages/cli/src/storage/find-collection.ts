import { type Trawl, unwrap } from '@trawl/client';

/**
 * Returns the place of a collection.
 *
 * @param database its name or id; by default the oldest one
 * @throws {TrawlError} 404 if there is no such database or collection. Lists and exports have no rows then, as for an
 *   empty collection.
 */
export async function findCollection(
  trawl: Trawl,
  collection: string,
  database: string | undefined,
): Promise<{ db_id: string; collection: string }> {
  const path = { db_id: await trawl.databaseId(database), collection };
  // The cheapest operation that refuses a missing collection. A list of the collections counts their documents.
  await unwrap(trawl.api.GET('/joint-api/mongo-collections/{db_id}/{collection}/indexes/list', { params: { path } }));
  return path;
}
