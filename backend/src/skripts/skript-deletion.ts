import type { EntityManager } from 'typeorm';
import { deleteFires } from '../scheduler/skript-schedules.js';
import { deleteUnusedBundles } from './unused-bundles.js';

/** What goes with a skript, as an answer calls it, and its table; the rows have a `skript_id` and go by `ON DELETE CASCADE`. */
const GO_ALONG = [
  ['skript_files', 'skript_files'],
  ['inputs', 'inputs'],
  ['input_secrets', 'input_secrets'],
  ['schedules', 'schedules'],
  ['versions', 'skript_bundles'],
] as const;
const COUNTS = GO_ALONG.map(
  ([name, table]) => `(SELECT count(*)::int FROM ${table} WHERE skript_id = ANY ($1)) AS ${name}`,
).join(', ');

/** Runs that go on, by the skript they are of. Call it with the skripts locked, so that none begins meanwhile. */
export async function liveRunsOf(
  manager: EntityManager,
  ownerId: string,
  skriptIds: string[],
): Promise<Map<string, string>> {
  const rows = await manager.query<{ skript_id: string; execution_id: string }[]>(
    `SELECT e.skript_id, l.execution_id FROM live_runs l JOIN executions e ON e.id = l.execution_id
     WHERE l.owner_id = $1 AND e.skript_id = ANY ($2)`,
    [ownerId, skriptIds],
  );
  return new Map(rows.map(row => [row.skript_id, row.execution_id]));
}

/**
 * Deletes skripts, which the caller has locked, with all that belongs to them.
 * @returns how many rows of each kind went.
 */
export async function deleteSkripts(manager: EntityManager, skriptIds: string[]): Promise<Record<string, number>> {
  const [counts] = await manager.query<Record<string, number>[]>(`SELECT ${COUNTS}`, [skriptIds]);
  const bundles = await manager.query<{ hash: string }[]>(
    'SELECT DISTINCT hash FROM skript_bundles WHERE skript_id = ANY ($1)',
    [skriptIds],
  );
  await deleteFires(manager, skriptIds);
  await manager.query('DELETE FROM skripts WHERE id = ANY ($1)', [skriptIds]);
  await deleteUnusedBundles(
    manager,
    bundles.map(({ hash }) => hash),
  );
  return { skripts: skriptIds.length, ...counts };
}
