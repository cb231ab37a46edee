import type { EntityManager } from 'typeorm';

/**
 * This file contains the SQL statements on many API keys. The code in `account/` creates and changes single keys with
 * the entity `ApiKey`.
 */
type Db = Pick<EntityManager, 'query'>;

/** Sets `last_used_at` of the keys to now. Skips keys whose time was already set within the last `precisionMs`. */
export async function writeKeyUses(db: Db, keyIds: string[], precisionMs: number): Promise<void> {
  await db.query(
    `UPDATE api_keys SET last_used_at = now()
     WHERE id = ANY($1::uuid[]) AND (last_used_at IS NULL OR last_used_at < now() - $2 * interval '1 millisecond')`,
    [keyIds, precisionMs],
  );
}

/** Counts a user's keys, including revoked and expired ones. */
export async function countApiKeys(db: Db, userId: string): Promise<number> {
  const [row] = await db.query<{ n: number }[]>('SELECT count(*)::int AS n FROM api_keys WHERE user_id = $1', [userId]);
  return row?.n ?? 0;
}

/** Deletes the keys that were revoked or expired more than `days` days ago. */
export async function deleteEndedApiKeys(db: Db, days: number): Promise<void> {
  await db.query(`DELETE FROM api_keys WHERE least(revoked_at, expires_at) < now() - $1 * interval '1 day'`, [days]);
}
