import type { EntityManager } from 'typeorm';

/**
 * A bundle has a copy of the files in it: it goes with the last skript that has it as a version, the present one or an old
 * one, and the lock of its libraries with the last bundle that has it.
 */
export async function deleteUnusedBundles(manager: EntityManager, hashes: string[]): Promise<void> {
  // Locked first and looked at by the next statement, which sees what was committed until then: nobody refers to a bundle
  // in between, because that takes a lock on it, too. In the order in which a build takes them.
  const locks = await manager.query<{ hash: string }[]>(
    `SELECT hash FROM locks WHERE hash IN (SELECT lock_hash FROM bundles WHERE hash = ANY ($1)) ORDER BY hash FOR UPDATE`,
    [hashes],
  );
  await manager.query('SELECT 1 FROM bundles WHERE hash = ANY ($1) ORDER BY hash FOR UPDATE', [hashes]);
  await manager.query(
    `DELETE FROM bundles b WHERE hash = ANY ($1)
       AND NOT EXISTS (SELECT 1 FROM skript_bundles v WHERE v.hash = b.hash)`,
    [hashes],
  );
  if (locks.length === 0) return;
  await manager.query(
    'DELETE FROM locks l WHERE hash = ANY ($1) AND NOT EXISTS (SELECT 1 FROM bundles b WHERE b.lock_hash = l.hash)',
    [locks.map(({ hash }) => hash)],
  );
}
