import { LIMITS } from '@trawl/contracts';
import type { DataSource } from 'typeorm';
import { deleteUnusedBundles } from '../bundles.repository.js';

/** How many versions, and how many bytes of them, are kept. */
export interface VersionLimits {
  perSkript: number;
  bytesPerAccount: number;
}

const KEPT: VersionLimits = { perSkript: LIMITS.versionsPerSkript, bytesPerAccount: LIMITS.versionBytesPerAccount };

/**
 * Deletes versions that exceed the limits, the oldest first. Keeps versions of live runs and of a skript's current
 * files. Skips skripts that another transaction has locked; their versions are deleted after the next build.
 * `pg_column_size` returns a value's size on disk without reading the value.
 */
const SURPLUS = `WITH free AS MATERIALIZED (SELECT id, bundle_hash, stale FROM skripts WHERE owner_id = $1 FOR NO KEY UPDATE SKIP LOCKED),
    ranked AS (
      SELECT v.skript_id, v.hash, row_number() OVER (PARTITION BY v.skript_id ORDER BY v.built_at DESC, v.hash) AS n,
        sum(pg_column_size(b.code) + pg_column_size(b.files)) OVER (ORDER BY v.built_at DESC, v.hash) AS bytes
      FROM skripts s JOIN skript_bundles v ON v.skript_id = s.id JOIN bundles b ON b.hash = v.hash WHERE s.owner_id = $1),
    surplus AS (
      SELECT r.skript_id, r.hash FROM ranked r JOIN free s ON s.id = r.skript_id
      WHERE (r.n > $2 OR r.bytes > $3) AND (s.stale OR s.bundle_hash IS DISTINCT FROM r.hash)
        AND NOT EXISTS (SELECT 1 FROM live_runs l JOIN executions e ON e.id = l.execution_id
          WHERE l.owner_id = $1 AND e.skript_id = r.skript_id AND e.bundle_hash = r.hash)),
    unset AS (
      UPDATE skripts s SET bundle_hash = NULL FROM surplus WHERE s.id = surplus.skript_id AND s.bundle_hash = surplus.hash),
    gone AS (
      DELETE FROM skript_bundles v USING surplus WHERE v.skript_id = surplus.skript_id AND v.hash = surplus.hash
      RETURNING v.hash)
  SELECT DISTINCT hash FROM gone`;

/**
 * Deletes an account's oldest versions that exceed the limits. Uses its own transaction, because it locks many skripts.
 */
export async function pruneVersions(dataSource: DataSource, ownerId: string, limits = KEPT): Promise<void> {
  await dataSource.transaction(async manager => {
    const surplus = await manager.query<{ hash: string }[]>(SURPLUS, [
      ownerId,
      limits.perSkript,
      limits.bytesPerAccount,
    ]);
    if (surplus.length === 0) return;
    await deleteUnusedBundles(
      manager,
      surplus.map(({ hash }) => hash),
    );
  });
}
