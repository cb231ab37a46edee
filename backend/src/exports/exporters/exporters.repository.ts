import type { EntityManager } from 'typeorm';

/** The functions in this file run SQL on `exporters`, and read `jobs`. */
type Db = Pick<EntityManager, 'query'>;

/** Records that all documents up to a time are in an export that is done. */
export async function setExportedUntil(db: Db, id: string, until: string): Promise<void> {
  await db.query(`UPDATE exporters SET exported_until = $2, updated_at = now() WHERE id = $1`, [id, until]);
}

/** Locks exporters that are due, and that no other backend handles. */
export async function lockDue(db: Db, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `SELECT e.id FROM exporters e JOIN users u ON u.id = e.owner_id AND u.disabled_at IS NULL
     WHERE e.enabled AND e.next_at <= now() ORDER BY e.next_at LIMIT $1 FOR UPDATE OF e SKIP LOCKED`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/** Lists the enabled exporters that run after each run of the skript of a run. */
export async function findForRun(db: Db, executionId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `SELECT e.id FROM executions x JOIN exporters e ON e.skript_id = x.skript_id AND e.owner_id = x.owner_id
     WHERE x.id = $1 AND e.enabled`,
    [executionId],
  );
  return rows.map(({ id }) => id);
}

/** Returns whether any exporter runs after runs. */
export async function hasRunExporters(db: Db): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }[]>(
    'SELECT EXISTS (SELECT 1 FROM exporters WHERE skript_id IS NOT NULL AND enabled) AS found',
  );
  return row?.found === true;
}

/** Returns whether an export of this exporter is queued or running. */
export async function hasOpenExport(db: Db, ownerId: string, id: string): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }[]>(
    `SELECT EXISTS (SELECT 1 FROM jobs
       WHERE owner_id = $1 AND ended_at IS NULL AND params ->> 'exporter_id' = $2) AS found`,
    [ownerId, id],
  );
  return row?.found === true;
}

/** Returns the size of all files of an account's exports. */
export async function sumOfFiles(db: Db, ownerId: string): Promise<number> {
  const [row] = await db.query<{ bytes: string }[]>(
    `SELECT coalesce(sum((result ->> 'bytes')::bigint), 0) AS bytes FROM jobs
     WHERE owner_id = $1 AND kind = 'export' AND state = 'done'`,
    [ownerId],
  );
  return Number(row?.bytes);
}
