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

/** Fields of a skript that the manifest of another tool may have. They are no settings: files and title decide them. */
const NOT_SENT = new Set(['title', 'howto', 'files']);

/**
 * Returns the fields of the local manifest that differ from those of the platform, and the names of those that the
 * platform does not know. Its own manifest has all others.
 */
export function compareFields(
  local: Manifest,
  remote: Manifest,
): { changed: Record<string, unknown>; ignored: string[] } {
  const fields = Object.entries(local).filter(([name]) => !NOT_SENT.has(name));
  const isKnown = (name: string) => Object.hasOwn(remote, name);
  const changed = fields.filter(([name, value]) => isKnown(name) && !isDeepStrictEqual(value, remote[name]));
  return {
    changed: Object.fromEntries(changed),
    ignored: fields.map(([name]) => name).filter(name => !isKnown(name)),
  };
}

/** The warning for fields that the platform does not know. */
export const ignoredFieldsText = (names: readonly string[]): string =>
  `Trawl does not know these fields of manifest.json and ignores them: ${names.join(', ')}.`;
