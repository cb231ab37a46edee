import type { Client } from 'pg';

/** A table that exists from the start of a restore to its end. */
const TABLE = 'unfinished_restore';

export const UNFINISHED_RESTORE =
  'A restore of a backup into this database was interrupted, so data is missing. Run it again: trawl-admin restore FILE --overwrite';

/** Marks the database as incomplete. Call it before a restore writes anything. */
export async function beginRestore(client: Client): Promise<void> {
  await client.query(`CREATE TABLE ${TABLE} ()`);
}

export async function endRestore(client: Client): Promise<void> {
  await client.query(`DROP TABLE ${TABLE}`);
}

export async function hasUnfinishedRestore(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(`SELECT to_regclass('${TABLE}') IS NOT NULL AS has`);
  return rows[0]?.has === true;
}
