import { inReadingOrder } from '../../components/values/in-reading-order.js';

/** A collection that Trawl names after a skript: its dataset, or the values that it keeps for its next runs. */
interface KeptCollection {
  kind: 'Dataset' | 'Key-value store';
  skriptId: string;
}

/** Returns null for a collection that the user named. */
export function keptCollection(collection: string): KeptCollection | null {
  const [, prefix, skriptId] = /^(dataset|kv)_([0-9a-f-]{36})$/.exec(collection) ?? [];
  if (skriptId === undefined) return null;
  return { kind: prefix === 'kv' ? 'Key-value store' : 'Dataset', skriptId };
}

/** Returns the name of a collection as people read it: with the title of its skript, if that is known. */
export function collectionTitle(collection: string, titleOf: (skriptId: string) => string | undefined): string {
  const kept = keptCollection(collection);
  const title = kept && titleOf(kept.skriptId);
  return inReadingOrder(kept && title !== undefined ? `${kept.kind} of ${title}` : collection);
}
