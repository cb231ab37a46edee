import type { EntityManager } from 'typeorm';
import { queueSkriptDrops } from '../../data/storage/databases/mongo-databases.repository.js';
import { notFound } from '../../platform/common/errors.js';
import { deleteUnusedBundles } from './bundles.repository.js';
import { deleteFires } from './skript-schedules.js';

/** What `ON DELETE CASCADE` deletes with a skript: the name of each kind in the response, and its table. */
const CASCADED = [
  ['skript_files', 'skript_files'],
  ['inputs', 'inputs'],
  ['input_secrets', 'input_secrets'],
  ['schedules', 'schedules'],
  ['versions', 'skript_bundles'],
] as const;
const COUNTS = CASCADED.map(
  ([name, table]) => `(SELECT count(*)::int FROM ${table} WHERE skript_id = ANY ($1)) AS ${name}`,
).join(', ');

/**
 * Locks the skript's row until the transaction ends, so that only one transaction at a time changes the skript or its
 * parts.
 * @throws {ApiError} 404, also for a skript of another user.
 */
export async function lockSkript(manager: EntityManager, ownerId: string, id: string): Promise<void> {
  const [row] = await manager.query<unknown[]>('SELECT 1 FROM skripts WHERE id = $1 AND owner_id = $2 FOR UPDATE', [
    id,
    ownerId,
  ]);
  if (!row) throw notFound('skript', id);
}

/** Locks all skripts of the owner, or only the first `limit` of them, and returns them. */
export function lockSkriptsOf(
  manager: EntityManager,
  ownerId: string,
  limit: number | null = null,
): Promise<{ id: string; title: string }[]> {
  return manager.query('SELECT id, title FROM skripts WHERE owner_id = $1 ORDER BY id LIMIT $2 FOR UPDATE', [
    ownerId,
    limit,
  ]);
}

/**
 * Locks skripts so that nobody can delete them. Call it before any quota check locks the account: all callers use this
 * order.
 */
export async function lockAgainstDeletion(manager: EntityManager, skriptIds: string[]): Promise<void> {
  const ids = new Set(skriptIds);
  await manager.query('SELECT 1 FROM skripts WHERE id = ANY($1::uuid[]) ORDER BY id FOR KEY SHARE', [[...ids]]);
}

/**
 * Maps the id of each skript that has a live run to the id of that run. Lock the skripts first, so that no run starts
 * meanwhile.
 */
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
 * Deletes skripts with everything that belongs to them. The caller locks the skripts.
 * @returns the number of deleted rows of each kind.
 */
export async function deleteSkripts(manager: EntityManager, skriptIds: string[]): Promise<Record<string, number>> {
  const [counts] = await manager.query<Record<string, number>[]>(`SELECT ${COUNTS}`, [skriptIds]);
  const bundles = await manager.query<{ hash: string }[]>(
    'SELECT DISTINCT hash FROM skript_bundles WHERE skript_id = ANY ($1)',
    [skriptIds],
  );
  await deleteFires(manager, skriptIds);
  await queueSkriptDrops(manager, skriptIds);
  await manager.query('DELETE FROM skripts WHERE id = ANY ($1)', [skriptIds]);
  await deleteUnusedBundles(
    manager,
    bundles.map(({ hash }) => hash),
  );
  return { skripts: skriptIds.length, ...counts };
}
