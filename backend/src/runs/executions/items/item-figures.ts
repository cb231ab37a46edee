import { setImmediate as nextTurn } from 'node:timers/promises';
import { namesWithSharedPaths } from '@trawl/contracts';
import { deserialize } from 'bson';
import type { mongo } from 'mongoose';
import { isObject } from './differences.js';
import { type Fields, type ItemNotes, ownFields } from './item-documents.js';

/** More items, or larger ones, are a random sample: ids are hashes, so the first of them are of no special kind. */
const MAX_ITEMS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FIELDS = 200;
const MAX_PATH_CHARS = 200;
const SHARES = [0.05, 0.5, 0.95];
const READ = { sort: { _id: 1 }, hint: { _id: 1 }, limit: MAX_ITEMS, batchSize: 1_000, maxTimeMS: 600_000 } as const;

/** For each field with numbers, by its dotted path: 5, 50 and 95 % of them. */
export type ItemFigures = Record<string, number[]>;

/** Returns figures of the numbers in all items that are not gone. */
export async function figuresOfItems(
  items: mongo.Collection<ItemNotes & Fields>,
  signal: AbortSignal,
): Promise<ItemFigures> {
  const numbers = new Map<string, number[]>();
  let bytes = 0;
  const cursor = items.find({ _gone_at: null } as mongo.Filter<ItemNotes & Fields>, { ...READ, raw: true });
  try {
    while (bytes < MAX_BYTES && (await cursor.hasNext())) {
      signal.throwIfAborted();
      for (const raw of cursor.readBufferedDocuments() as unknown as Buffer[]) {
        bytes += raw.length;
        collect(ownFields(deserialize(raw, { bsonRegExp: true })), '', numbers);
      }
    }
  } finally {
    await cursor.close();
  }
  const figures: [string, number[]][] = [];
  for (const [path, values] of numbers) {
    figures.push([path, quantiles(Float64Array.from(values).sort())]);
    await nextTurn();
  }
  return Object.fromEntries(figures);
}

/** Numbers in lists have no path. */
function collect(fields: Fields, prefix: string, numbers: Map<string, number[]>): void {
  const shareTheirPaths = namesWithSharedPaths(Object.keys(fields));
  for (const [name, value] of Object.entries(fields)) {
    const path = prefix + name;
    if (path.length > MAX_PATH_CHARS) continue;
    if (isObject(value) && !shareTheirPaths(name)) collect(value, `${path}.`, numbers);
    if (typeof value !== 'number' || !Number.isFinite(value)) continue;
    const known = numbers.get(path);
    if (known) known.push(value);
    else if (numbers.size < MAX_FIELDS) numbers.set(path, [value]);
  }
}

/** Values between two numbers are interpolated. */
const quantiles = (sorted: Float64Array): number[] =>
  SHARES.map(share => {
    const at = share * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]] as [number, number];
    return low + (high - low) * (at % 1);
  });
