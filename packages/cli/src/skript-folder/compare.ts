import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from './manifest.js';

/** Names of texts, by what an upload or a download does with them. */
export interface Difference {
  /** Only in the source. */
  added: string[];
  /** In both, with another text. */
  changed: string[];
  /** Only in the target. */
  extra: string[];
}

type Texts = ReadonlyMap<string, string>;

export function compareTexts(source: Texts, target: Texts, isEqual = (one: string, other: string) => one === other) {
  const difference: Difference = { added: [], changed: [], extra: [] };
  for (const [name, text] of source) {
    const other = target.get(name);
    if (other === undefined) difference.added.push(name);
    else if (!isEqual(text, other)) difference.changed.push(name);
  }
  for (const name of target.keys()) if (!source.has(name)) difference.extra.push(name);
  return difference;
}

/** Returns whether two JSON texts have the same value. */
export function isSameJson(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
  } catch {
    return false;
  }
}

/** Fields of a manifest that the platform fills, and those that the manifest of another tool may have. */
const NOT_SENT = new Set(['title', 'howto', 'files']);

/** Returns the fields of the local manifest that differ from those of the platform. */
export function changedFields(local: Manifest, remote: Manifest): Record<string, unknown> {
  const changed = Object.entries(local).filter(
    ([name, value]) => !NOT_SENT.has(name) && !isDeepStrictEqual(value, remote[name]),
  );
  return Object.fromEntries(changed);
}
