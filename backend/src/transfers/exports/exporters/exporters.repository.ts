import type { EntityManager } from 'typeorm';
import { IN_MAINTENANCE } from '../../../platform/maintenance/in-maintenance.js';

/** The functions in this file run SQL on `exporters`, and read `jobs`. */
type Db = Pick<EntityManager, 'query'>;

const RETRY_SECONDS = 60;
/** Time between two tries to start an export while a maintenance or another export is under way. */
export const AWAIT_SECONDS = 5;

/**
 * Records which documents are in an export that is done, and when it began to read.
 * @param ids the name of a file of `ExportedIds`; null for an export that an older version created.
 * @param until the time before which such an export has all documents.
 */
export async function setExported(
  db: Db,
  id: string,
  exportId: string,
  { ids, until }: { ids: string | null; until: string | null },
): Promise<void> {
  await db.query(
    `UPDATE exporters SET updated_at = now(), exported_ids = $3,
       exported_until = least($4, now(), (SELECT started_at FROM jobs WHERE id = $2)) WHERE id = $1`,
    [id, exportId, ids, until],
  );
}

/** Returns which of these files are not the ids of an exporter. */
export async function withoutExporter(db: Db, files: string[]): Promise<string[]> {
  const rows = await db.query<{ file: string }[]>(
    `SELECT file FROM unnest($1::text[]) AS asked (file)
     WHERE NOT EXISTS (SELECT 1 FROM exporters WHERE exported_ids = asked.file)`,
    [files],
  );
  return rows.map(({ file }) => file);
}

/** Returns the live runs of a skript. */
export async function liveRunsOf(db: Db, ownerId: string, skriptId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `SELECT x.id FROM live_runs r JOIN executions x ON x.id = r.execution_id
     WHERE r.owner_id = $1 AND x.skript_id = $2`,
    [ownerId, skriptId],
  );
  return rows.map(({ id }) => id);
}

/** SQL on `exporters`: whether the clock was ahead when it was recorded until when it has exported. */
const IS_AHEAD = 'exported_until > now()';

/** SQL: the exporters that are due, and those whose next time was computed while the clock was ahead. */
const DUE = `exporters e JOIN users u ON u.id = e.owner_id AND u.disabled_at IS NULL
  WHERE e.enabled AND e.next_at IS NOT NULL AND (e.next_at <= now() OR e.planned_at > now() + interval '1 minute')
    AND NOT ${IN_MAINTENANCE}`;

/** SQL expression: whether any of the functions below has something to do. */
export const IS_ANY_DUE = `EXISTS (SELECT FROM exporters WHERE ${IS_AHEAD})
  OR EXISTS (SELECT FROM ${DUE})`;

/** Brings back times until which exporters have exported, if the clock was ahead when they were recorded. */
export async function repairTimes(db: Db): Promise<void> {
  await db.query(`UPDATE exporters SET exported_until = now() - interval '1 minute' WHERE ${IS_AHEAD}`);
}

/**
 * Finds exporters that are due, and those whose next time was computed while the clock was ahead. During a maintenance
 * there are none.
 */
export async function findDue(db: Db, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `SELECT e.id FROM ${DUE}
     ORDER BY e.next_at LIMIT $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns how many seconds an exporter must wait before it may try again to export: during a maintenance, and while its
 * account is disabled. Returns 0 if it may export now.
 */
export async function exportsIn(db: Db, ownerId: string): Promise<number> {
  const [row] = await db.query<{ seconds: number }[]>(
    `SELECT CASE WHEN ${IN_MAINTENANCE} THEN ${AWAIT_SECONDS}
       WHEN EXISTS (SELECT FROM users WHERE id = $1 AND disabled_at IS NULL) THEN 0 ELSE ${RETRY_SECONDS} END AS seconds`,
    [ownerId],
  );
  return row?.seconds ?? RETRY_SECONDS;
}

/** Makes a due exporter due a little later. */
export async function postpone(db: Db, id: string): Promise<void> {
  await db.query(
    `UPDATE exporters SET next_at = now() + interval '${RETRY_SECONDS} s', planned_at = now() WHERE id = $1 AND next_at IS NOT NULL`,
    [id],
  );
}

/** Returns whether an export of this exporter is queued or running. */
export async function hasOpenExport(db: Db, ownerId: string, id: string): Promise<boolean> {
  // PostgreSQL may evaluate conditions in any order, and `->>` fails for a NUL character in the parameters of an import.
  const [row] = await db.query<{ found: boolean }[]>(
    `SELECT EXISTS (SELECT 1 FROM jobs
       WHERE owner_id = $1 AND ended_at IS NULL AND CASE kind WHEN 'export' THEN params ->> 'exporter_id' END = $2) AS found`,
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

/**
 * Deletes the jobs of an exporter that wait for other runs, because the export that starts now has what these runs stored. A run
 * whose rows are held until its verdict keeps its job.
 */
export async function deleteExportedRuns(db: Db, kind: string, exporterId: string): Promise<void> {
  await db.query(
    `DELETE FROM jobs j WHERE kind = $1 AND lane = $2 AND lane <> '' AND owner_id IS NULL AND ended_at IS NULL
       AND NOT EXISTS (SELECT FROM run_profiles p WHERE p.execution_id = (j.params->>'execution_id')::uuid
         AND p.is_held AND p.verdict IS NULL)`,
    [kind, exporterId],
  );
}
