import type { EntityManager } from 'typeorm';
import { KV_PREFIX } from '../mongodb/collection-names.js';

/**
 * The functions in this file run SQL on `mongo_databases`, `mongo_drops` and `mongo_collection_drops`, except simple
 * reads and writes of one database.
 */
type Db = Pick<EntityManager, 'query'>;

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
     INSERT INTO mongo_drops (db_name) SELECT db_name FROM gone RETURNING db_name`,
    [id, ownerId],
  );
  return gone.length > 0;
}

/**
 * Queues all databases of a user to be dropped in MongoDB, and returns their number. The caller must delete their rows.
 */
export async function queueDropsOf(manager: EntityManager, ownerId: string): Promise<number> {
  const queued = await manager.query<unknown[]>(
    'INSERT INTO mongo_drops (db_name) SELECT db_name FROM mongo_databases WHERE owner_id = $1 RETURNING db_name',
    [ownerId],
  );
  return queued.length;
}

/** Finds databases that were deleted more than two minutes ago, 100 at most. */
export async function findDueDrops(db: Db): Promise<string[]> {
  const due = await db.query<{ db_name: string }[]>(
    `SELECT db_name FROM mongo_drops WHERE deleted_at < now() - interval '2 minutes' LIMIT 100`,
  );
  return due.map(({ db_name }) => db_name);
}

export async function removeDrop(db: Db, dbName: string): Promise<void> {
  await db.query('DELETE FROM mongo_drops WHERE db_name = $1', [dbName]);
}

/** A collection, the name of its database in MongoDB, and the owner; null if the database was deleted meanwhile. */
export interface CollectionDrop {
  db_name: string;
  collection: string;
  owner_id: string | null;
}

/** Queues the values of `kv` of skripts to be dropped in MongoDB. Call it before the skripts are deleted. */
export async function queueKvDrops(db: Db, skriptIds: string[]): Promise<void> {
  await db.query(
    `INSERT INTO mongo_collection_drops (db_name, collection)
     SELECT d.db_name, $2::text || s.id FROM skripts s JOIN mongo_databases d ON d.owner_id = s.owner_id
     WHERE s.id = ANY ($1) ON CONFLICT DO NOTHING`,
    [skriptIds, KV_PREFIX],
  );
}

/** Finds collections that were queued more than two minutes ago, 100 at most: no run uses them any more. */
export function findDueCollectionDrops(db: Db): Promise<CollectionDrop[]> {
  return db.query<CollectionDrop[]>(
    `SELECT c.db_name, c.collection, d.owner_id FROM mongo_collection_drops c LEFT JOIN mongo_databases d USING (db_name)
     WHERE c.deleted_at < now() - interval '2 minutes' LIMIT 100`,
  );
}

export async function removeCollectionDrop(db: Db, { db_name, collection }: CollectionDrop): Promise<void> {
  await db.query('DELETE FROM mongo_collection_drops WHERE db_name = $1 AND collection = $2', [db_name, collection]);
}
