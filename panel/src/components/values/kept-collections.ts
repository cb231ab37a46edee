import { inReadingOrder } from './in-reading-order.js';

/** A collection that Trawl names after a skript. */
interface KeptCollection {
  kind: 'Dataset' | 'Key-value store' | 'Rows of replays';
  skriptId: string;
}

const KINDS: Record<string, KeptCollection['kind']> = {
  dataset: 'Dataset',
  kv: 'Key-value store',
  replay: 'Rows of replays',
};

/** Returns null for a collection that the user named. */
export function keptCollection(collection: string): KeptCollection | null {
  const [, prefix, skriptId] = /^(dataset|kv|replay)_([0-9a-f-]{36})$/.exec(collection) ?? [];
  const kind = KINDS[prefix ?? ''];
  return kind !== undefined && skriptId !== undefined ? { kind, skriptId } : null;
}

/** Returns the name of a collection as people read it: with the title of its skript, if that is known. */
export function collectionTitle(collection: string, titleOf: (skriptId: string) => string | undefined): string {
  const kept = keptCollection(collection);
  const title = kept && titleOf(kept.skriptId);
  return inReadingOrder(kept && title !== undefined ? `${kept.kind} of ${title}` : collection);
}
