import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { notFound } from '../../platform/common/errors.js';
import { storedValuesOf } from './bundles/stored-values.js';
import { filesOf, type SourceFile } from './skript-contents.js';

/**
 * SQL on `bundles`, `locks` and `skript_bundles`. Each row of `bundles` also holds a copy of the files it was built
 * from.
 */
type Db = Pick<EntityManager, 'query'>;

export interface BuiltBundle {
  ownerId: string;
  skriptId: string;
  hash: string;
  size: number;
  code: string;
  needsBrowser: boolean;
  files: SourceFile[];
  /** The result of `storedValuesOf`. */
  values: SourceFile[];
  lock: { hash: string; text: string } | null;
}

export async function findBundleCode(db: Db, hash: string): Promise<string | null> {
  const [row] = await db.query<{ code: string }[]>('SELECT code FROM bundles WHERE hash = $1', [hash]);
  return row?.code ?? null;
}

/** Finds a version of a skript. */
export async function findVersion(
  db: Db,
  skriptId: string,
  hash: string,
): Promise<{ lock: string | null; needsBrowser: boolean } | undefined> {
  const [version] = await db.query<{ lock: string | null; needsBrowser: boolean }[]>(
    `SELECT b.lock_hash AS lock, b.needs_browser IS TRUE AS "needsBrowser"
     FROM skript_bundles v JOIN bundles b ON b.hash = v.hash WHERE v.skript_id = $1 AND v.hash = $2`,
    [skriptId, hash],
  );
  return version;
}

export async function findLock(db: Db, hash: string): Promise<string | null> {
  const [row] = await db.query<{ lock: string }[]>('SELECT lock FROM locks WHERE hash = $1', [hash]);
  return row?.lock ?? null;
}

/** Finds the lock of a skript's newest version that has a lock. */
export async function findLatestLock(db: Db, skriptId: string): Promise<string | null> {
  const [row] = await db.query<{ lock: string }[]>(
    `SELECT l.lock FROM skript_bundles v JOIN bundles b ON b.hash = v.hash JOIN locks l ON l.hash = b.lock_hash
     WHERE v.skript_id = $1 ORDER BY v.built_at DESC LIMIT 1`,
    [skriptId],
  );
  return row?.lock ?? null;
}

/**
 * Saves a bundle as the newest version of its skript, and as its current bundle if files, fields and inputs have not changed since the
 * build began.
 * @throws {ApiError} 404 when the skript was deleted during the build.
 */
export async function saveBundle(manager: EntityManager, bundle: BuiltBundle): Promise<void> {
  const { ownerId, skriptId, hash, size, code, needsBrowser, files, values, lock } = bundle;
  const [skript] = await manager.query<unknown[]>('SELECT 1 FROM skripts WHERE id = $1 FOR UPDATE', [skriptId]);
  if (!skript) throw notFound('skript', skriptId);
  const presentFiles = await filesOf(manager, skriptId);
  const present = [presentFiles, await storedValuesOf(manager, skriptId, presentFiles)];
  const bundled = [files, values];
  // `DO UPDATE SET hash = excluded.hash` changes nothing, but it locks an existing row. So nobody can delete the row
  // before the version below refers to it.
  if (lock) {
    await manager.query(
      'INSERT INTO locks (hash, lock) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash',
      [lock.hash, lock.text],
    );
  }
  await manager.query(
    `INSERT INTO bundles (hash, code, files, size, lock_hash, needs_browser) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash`,
    [hash, code, JSON.stringify(files), size, lock?.hash ?? null, needsBrowser],
  );
  // `clock_timestamp()`, not `now()`: `now()` is the time when the transaction began, and concurrent builds wait before
  // this line.
  await manager.query(
    `WITH saved AS (
       INSERT INTO skript_bundles (skript_id, hash, built_by, built_at, number)
       SELECT id, $2, $3, clock_timestamp(), last_version + 1 FROM skripts WHERE id = $1
       ON CONFLICT (skript_id, hash) DO UPDATE
       SET built_by = excluded.built_by, built_at = excluded.built_at, builds = skript_bundles.builds + 1,
         number = COALESCE(skript_bundles.number, excluded.number)
       RETURNING number)
     UPDATE skripts s SET last_version = saved.number FROM saved WHERE s.id = $1 AND saved.number > s.last_version`,
    [skriptId, hash, ownerId],
  );
  if (!isDeepStrictEqual(present, bundled)) return;
  await manager.query('UPDATE skripts SET bundle_hash = $2, stale = false WHERE id = $1', [skriptId, hash]);
}

/**
 * Deletes those of the given bundles that are not a version of any skript, and then locks that no bundle uses any more.
 */
export async function deleteUnusedBundles(manager: EntityManager, hashes: string[]): Promise<void> {
  // Lock the rows before deleting, in the same order as `saveBundle`. A build locks the bundle that it refers to, so no
  // new reference can appear while these locks are held.
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
