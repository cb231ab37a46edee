import type { EntityManager } from 'typeorm';
import { insertPlatformJobs } from '../../../platform/jobs/platform-jobs.js';
import { CHANGES_PREFIX, ITEMS_PREFIX, KV_PREFIX } from '../mongodb/collection-names.js';

/**
 * The functions in this file run SQL on `mongo_databases`, except simple reads and writes of one database, and queue
 * drops as jobs.
 */
type Db = Pick<EntityManager, 'query'>;

/** Names of kinds of jobs. */
export const DATABASE_DROP = 'mongo_drop';
export const COLLECTION_DROP = 'mongo_collection_drop';

/** After this time, no backend or run uses a deleted database or collection any more. */
const UNUSED_SECONDS = 120;

/** Returns the statement that queues databases to be dropped. `from` is SQL that has their `db_name`. */
const queueDrops = (from: string): string =>
  insertPlatformJobs(DATABASE_DROP, {
    params: `json_build_object('db_name', db_name)`,
    delaySeconds: UNUSED_SECONDS,
    from,
  });

/** Returns the names that a user's databases have in MongoDB. */
export async function dbNamesOf(db: Db, ownerId: string): Promise<string[]> {
  const rows = await db.query<{ db_name: string }[]>('SELECT db_name FROM mongo_databases WHERE owner_id = $1', [
    ownerId,
  ]);
  return rows.map(({ db_name }) => db_name);
}

/**
 * Deletes a database's row and queues the deletion of its documents. Returns false if the owner has no such database.
 */
export async function deleteDatabase(db: Db, ownerId: string, id: string): Promise<boolean> {
  const gone = await db.query<unknown[]>(
    `WITH gone AS (DELETE FROM mongo_databases WHERE id = $1 AND owner_id = $2 RETURNING db_name)
     ${queueDrops('gone')}`,
    [id, ownerId],
  );
  return gone.length > 0;
}

/**
 * Queues all databases of a user to be dropped in MongoDB, and returns their number. The caller must delete their rows.
 */
export async function queueDropsOf(manager: EntityManager, ownerId: string): Promise<number> {
  const queued = await manager.query<unknown[]>(queueDrops('mongo_databases WHERE owner_id = $1'), [ownerId]);
  return queued.length;
}

/** A collection, and the name of its database in MongoDB. */
export interface CollectionDrop {
  db_name: string;
  collection: string;
}

/** Queues the values of `kv`, the items and the changes of skripts to be dropped. Call it before the skripts are deleted. */
export async function queueSkriptDrops(db: Db, skriptIds: string[]): Promise<void> {
  await db.query(
    insertPlatformJobs(COLLECTION_DROP, {
      params: `json_build_object('db_name', d.db_name, 'collection', p.prefix || s.id)`,
      delaySeconds: UNUSED_SECONDS,
      from: `skripts s JOIN mongo_databases d ON d.owner_id = s.owner_id CROSS JOIN unnest($2::text[]) AS p(prefix)
        WHERE s.id = ANY ($1)`,
    }),
    [skriptIds, [KV_PREFIX, ITEMS_PREFIX, CHANGES_PREFIX]],
  );
}

/** Returns the owner of a database; undefined if it was deleted. */
export async function ownerOfDatabase(db: Db, dbName: string): Promise<string | undefined> {
  const [row] = await db.query<{ owner_id: string }[]>('SELECT owner_id FROM mongo_databases WHERE db_name = $1', [
    dbName,
  ]);
  return row?.owner_id;
}
