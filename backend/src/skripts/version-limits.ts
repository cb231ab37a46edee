import { LIMITS } from '@trawl/contracts';
import type { DataSource } from 'typeorm';
import { deleteUnusedBundles } from './unused-bundles.js';

/** How much of what an account builds is kept. */
export interface VersionLimits {
  perSkript: number;
  bytesPerAccount: number;
}

const KEPT: VersionLimits = { perSkript: LIMITS.versionsPerSkript, bytesPerAccount: LIMITS.versionBytesPerAccount };

/**
 * What is beyond the limits, oldest first; what a run that goes on was made from, and what stands for the present files,
 * stays. The skripts are locked, but for those that somebody has: the next build finds what is left of theirs.
 * `pg_column_size` is what is on the disk, and reads none of it.
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

/** Lets an account's oldest versions go. In a transaction of its own: it locks many skripts. */
export async function dropSurplusVersions(dataSource: DataSource, ownerId: string, limits = KEPT): Promise<void> {
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
