import { fieldPart, type Hashes, hashOfField } from './hashes.js';
import type { Manifest } from './manifest.js';

/** Outcome of a download for a local manifest. */
export interface MergedManifest {
  /** The new manifest; null if the local one stays as it is. */
  manifest: Manifest | null;
  /** Names of fields that differ on both sides. They stay as they are here. */
  conflicts: string[];
}

/**
 * Brings the fields that changed only on the platform into a local manifest, which may leave out fields that have their
 * defaults.
 *
 * @param synced hashes of what both had in common before
 * @param force whether to replace every field that differs
 */
export function mergeManifest(local: Manifest, remote: Manifest, synced: Hashes, force: boolean): MergedManifest {
  const taken: Record<string, unknown> = {};
  const conflicts: string[] = [];
  for (const [name, value] of Object.entries(remote)) {
    const [theirs, before] = [hashOfField(value), synced.get(fieldPart(name))];
    const isHere = Object.hasOwn(local, name);
    const ours = isHere ? hashOfField(local[name]) : before;
    if (ours === theirs || ours === undefined) continue;
    if (force || ours === before) taken[name] = value;
    else if (before !== theirs) conflicts.push(name);
  }
  return { manifest: Object.keys(taken).length > 0 ? { ...local, ...taken } : null, conflicts };
}
