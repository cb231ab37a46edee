import type { EntityManager } from 'typeorm';
import { insertPlatformJobs } from '../../../platform/jobs/platform-jobs.js';

/** The functions in this file run all SQL on `postgres_databases`, and queue drops as jobs. */
type Db = Pick<EntityManager, 'query'>;

/** Name of a kind of jobs. */
export const POSTGRES_DROP = 'postgres_drop';
/** After this time, no backend uses the database of a deleted account any more. */
const UNUSED_SECONDS = 120;

export interface PostgresDatabase {
  /** Name of the database and of its role on the users' server. It tells nothing about the account. */
  name: string;
  /** False until the database and its role exist. */
  ready: boolean;
  /** Size at the last measurement. */
  bytes: number;
}

export async function findDatabase(db: Db, ownerId: string): Promise<PostgresDatabase | undefined> {
  const [row] = await db.query<(Omit<PostgresDatabase, 'bytes'> & { bytes: string })[]>(
    'SELECT name, ready, bytes FROM postgres_databases WHERE owner_id = $1',
    [ownerId],
  );
  return row && { ...row, bytes: Number(row.bytes) };
}

/** Reserves a name for the account's database. Does nothing if it has one, or if the account is being deleted. */
export async function reserveName(db: Db, ownerId: string, name: string): Promise<void> {
  await db.query(
    `INSERT INTO postgres_databases (owner_id, name) SELECT id, $2 FROM users WHERE id = $1 AND disabled_at IS NULL
     ON CONFLICT DO NOTHING`,
    [ownerId, name],
  );
}

/** `restricted` is for backends of an older version, which may run at the same time. */
export async function markReady(db: Db, ownerId: string): Promise<void> {
  await db.query('UPDATE postgres_databases SET ready = true, restricted = true WHERE owner_id = $1', [ownerId]);
}

export async function saveSize(db: Db, ownerId: string, bytes: number): Promise<void> {
  await db.query('UPDATE postgres_databases SET bytes = $2 WHERE owner_id = $1 AND bytes <> $2', [ownerId, bytes]);
}

/**
 * Queues the account's database to be dropped again, and returns 1 if it has one, otherwise 0. The caller must delete
 * the account.
 */
export async function queuePostgresDropOf(db: Db, ownerId: string): Promise<number> {
  const queued = await db.query<unknown[]>(
    insertPlatformJobs(POSTGRES_DROP, {
      params: `json_build_object('name', name)`,
      delaySeconds: UNUSED_SECONDS,
      from: 'postgres_databases WHERE owner_id = $1',
    }),
    [ownerId],
  );
  return queued.length;
}
