import { Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { changeId, type Fields, itemId, ownFields } from './item-documents.js';
import { type MergedRun, type MergeParts, RowMerger } from './row-merger.js';

const { app } = appForFile();
const database = databaseForFile(app);

const KEYS = ['a', 'b/c', '$d', '__proto__', 'e.f', 'g"\\', 'x'.repeat(3_000)];
const INPUTS = ['one', 'two'];

/** A run: the number that it found for each key, and after which writes its merge is killed. */
interface Run {
  found: Record<string, number>;
  isPartial: boolean;
  input: string;
  /** The backend is killed at each of these writes, in part or after all of it, and then merges again. */
  kills: { write: number; share: number }[];
}

interface ModelItem {
  price: number;
  isGone: boolean;
  input: string;
  first: number;
  changed: number;
  seen: number;
}

const idOf = (n: number) => `019a2b3c-0000-7000-8000-${String(n).padStart(12, '0')}`;
const timeOf = (n: number) => new Date(1_700_000_000_000 + n * 1_000);

class Killed extends Error {}

/** Collections whose writes fail from one on: the process is dead, and a part of that write is done. */
function killedAt(parts: MergeParts, { write, share }: { write: number; share: number }): MergeParts {
  let left = write;
  const dying = <T extends object>(collection: T): T =>
    new Proxy(collection, {
      get: (target, name) => {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        if (name !== 'insertMany' && name !== 'bulkWrite' && name !== 'updateMany') return method.bind(target);
        return async (first: unknown, ...rest: unknown[]) => {
          if (left-- > 0) return method.call(target, first, ...rest);
          if (Array.isArray(first)) {
            const done = first.slice(0, Math.round(first.length * share));
            if (done.length > 0) await method.call(target, done, ...rest);
          } else if (share > 0.5) await method.call(target, first, ...rest);
          throw new Killed();
        };
      },
    });
  return { ...parts, items: dying(parts.items), changes: dying(parts.changes) };
}

/** Merges a run into the model, and returns the changes that it should make. */
function mergeIntoModel(items: Map<string, ModelItem>, n: number, run: Run): [string, string, unknown][] {
  const changes: [string, string, unknown][] = [];
  const found = Object.entries(run.found);
  for (const [key, price] of found) {
    const item = items.get(key);
    const was = item?.price;
    const isChanged = !item || item.isGone || was !== price;
    if (isChanged) {
      const fields = item ? (was === price ? [] : [{ field: 'price', was, now: price }]) : null;
      changes.push([key, item ? (item.isGone ? 'back' : 'changed') : 'added', fields]);
    }
    items.set(key, {
      price,
      isGone: false,
      input: run.input,
      first: item?.first ?? n,
      changed: isChanged ? n : item.changed,
      seen: n,
    });
  }
  if (found.length === 0 || run.isPartial) return changes;
  for (const [key, item] of items) {
    if (Object.hasOwn(run.found, key) || item.isGone || item.input !== run.input) continue;
    changes.push([key, 'gone', null]);
    items.set(key, { ...item, isGone: true, changed: n });
  }
  return changes;
}

const run = fc.record<Run>({
  found: fc.dictionary(fc.constantFrom(...KEYS), fc.integer({ min: 1, max: 3 })),
  isPartial: fc.boolean(),
  input: fc.constantFrom(...INPUTS),
  kills: fc.array(fc.record({ write: fc.nat(4), share: fc.double({ min: 0, max: 1, noNaN: true }) }), { maxLength: 2 }),
});

/** The collections of a new skript. */
async function newParts() {
  const [dataset, items, changes] = [database.fresh(), database.fresh(), database.fresh()];
  await dataset.collection.createIndex(
    { _first: 1, _key: 1 },
    { unique: true, partialFilterExpression: { _first: { $gt: '' }, _key: { $gt: '' } } },
  );
  const reserve = async () => {};
  const { signal } = new AbortController();
  const parts = { dataset: dataset.collection, items: items.collection, changes: changes.collection, reserve, signal };
  return parts as MergeParts;
}

async function push(parts: MergeParts, n: number, rows: Fields[], more: Fields = {}): Promise<void> {
  if (rows.length === 0) return;
  const ids = { _run: idOf(n), _at: timeOf(n), _first: idOf(n), _attempt: 1 };
  await parts.dataset.insertMany(
    rows.map(row => ({ _id: new ObjectId(), ...more, ...row, _key: JSON.stringify({ sku: row.sku }), ...ids })),
  );
}

const mergedRun = (n: number, input = 'one'): MergedRun => ({
  executionId: idOf(n),
  firstId: idOf(n),
  input,
  at: timeOf(n),
});

it('the items and changes of random runs, whose merges are killed and repeated, agree with a model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 6 }), async runs => {
      const parts = await newParts();
      const model = new Map<string, ModelItem>();
      const expected: unknown[] = [];
      for (const [n, one] of runs.entries()) {
        const rows = Object.entries(one.found).map(([sku, price]) => ({ sku, price }));
        await push(parts, n, rows, one.isPartial ? { _partial: true } : {});
        for (const kill of one.kills) {
          try {
            await new RowMerger(mergedRun(n, one.input), killedAt(parts, kill)).merge();
          } catch (error) {
            if (!(error instanceof Killed)) throw error;
          }
        }
        expect(await new RowMerger(mergedRun(n, one.input), parts).merge()).toBe(rows.length > 0);
        for (const [sku, kind, fields] of mergeIntoModel(model, n, one)) {
          const _key = JSON.stringify({ sku });
          const _item = itemId(_key);
          const _id = changeId(idOf(n), _item);
          expected.push({ _id, _run: idOf(n), _item, _key, kind, fields, at: timeOf(n) });
        }
      }
      const byId = (a: { _id: string }, b: { _id: string }) => (a._id < b._id ? -1 : 1);
      const changes = await parts.changes.find({}, { sort: { _id: 1 } }).toArray();
      expect(changes).toEqual((expected as { _id: string }[]).sort(byId));
      const items = await parts.items.find().toArray();
      const shown = items.map(item => [
        ownFields(item),
        [item._first_seen, item._last_seen, item._changed_at, item._gone_at !== null, item._input],
      ]);
      const wanted = [...model].map(([sku, { price, first, seen, changed, isGone, input }]) => [
        { sku, price },
        [timeOf(first), timeOf(seen), timeOf(changed), isGone, input],
      ]);
      const bySku = (list: unknown[]) => list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      expect(bySku(shown)).toEqual(bySku(wanted));
    }),
    { numRuns: 25 },
  );
});

it('a merge of many rows is done in batches, and a repeated merge changes nothing', async () => {
  const parts = await newParts();
  const rows = Array.from({ length: 2_500 }, (_, n) => ({ sku: n, price: n }));
  await push(parts, 1, rows);
  await new RowMerger(mergedRun(1), parts).merge();
  await push(
    parts,
    2,
    rows.slice(0, 2_400).map(row => (row.price % 100 === 0 ? { ...row, price: -1 } : row)),
  );
  for (let attempt = 1; attempt <= 2; attempt++) {
    await new RowMerger(mergedRun(2), parts).merge();
    const counts = await parts.changes.aggregate([{ $group: { _id: '$kind', n: { $sum: 1 } } }]).toArray();
    expect(Object.fromEntries(counts.map(({ _id, n }) => [_id, n]))).toEqual({ added: 2_500, changed: 24, gone: 100 });
    expect(await parts.items.countDocuments({ _gone_at: null, _last_seen: timeOf(2) as never })).toBe(2_400);
  }
});

it('an older run changes no item that a newer run with another input has changed', async () => {
  const parts = await newParts();
  await push(parts, 2, [{ sku: 'a', price: 2 }]);
  await push(parts, 1, [
    { sku: 'a', price: 1 },
    { sku: 'b', price: 1 },
  ]);
  await new RowMerger(mergedRun(2, 'two'), parts).merge();
  await new RowMerger(mergedRun(1, 'one'), parts).merge();
  const items = await parts.items.find({}, { sort: { sku: 1 } }).toArray();
  expect(items.map(({ sku, price }) => [sku, price])).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
  expect(await parts.changes.countDocuments({ _run: idOf(1) })).toBe(1);
});

it.each<[string, Fields, Fields, Fields[]]>([
  ['the order of fields', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }, []],
  ['a field that is null or missing', { a: null, b: 1 }, { b: 1, c: null }, []],
  ['a nested field', { a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, [{ field: 'a.b.c', was: 1, now: 2 }]],
  ['a field that became an object', { a: 1 }, { a: { b: 1 } }, [{ field: 'a', was: 1, now: { b: 1 } }]],
  ['a list', { a: [1, { b: 1 }] }, { a: [1, { b: 2 }] }, [{ field: 'a', was: [1, { b: 1 }], now: [1, { b: 2 }] }]],
  ['numbers of other types', { a: 1, b: Long.fromNumber(5) }, { a: 1.0, b: 5 }, []],
  ['a date', { a: new Date(5) }, { a: new Date(6) }, [{ field: 'a', was: new Date(5), now: new Date(6) }]],
  [
    'hostile names',
    { 'a.b': 1, $c: { $d: 1 } },
    { 'a.b': 2, $c: { $d: 2 } },
    [
      { field: 'a.b', was: 1, now: 2 },
      { field: '$c.$d', was: 1, now: 2 },
    ],
  ],
])('%s: the change names the fields with other values', async (_, was, now, fields) => {
  const parts = await newParts();
  await push(parts, 1, [{ sku: 1, ...was }]);
  await new RowMerger(mergedRun(1), parts).merge();
  await push(parts, 2, [{ sku: 1, ...now }]);
  await new RowMerger(mergedRun(2), parts).merge();
  const changes = await parts.changes.find({ _run: idOf(2) }).toArray();
  expect(changes.map(change => change.fields)).toEqual(fields.length > 0 ? [fields] : []);
});

it('a change of a row with very many fields and long names stays small', async () => {
  const parts = await newParts();
  const rowOf = (value: number) => ({
    sku: 1,
    ['n'.repeat(100_000)]: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, value])),
    ...Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`g${n}`, value])),
  });
  for (const n of [1, 2]) {
    await push(parts, n, [rowOf(n)]);
    await new RowMerger(mergedRun(n), parts).merge();
  }
  const [change] = await parts.changes.find({ _run: idOf(2) }).toArray();
  expect(change?.fields).toHaveLength(200);
  expect(JSON.stringify(change).length).toBeLessThan(500_000);
});

it('a merge stops when the storage of the account is full, and stores no change without its item', async () => {
  const parts = await newParts();
  await push(parts, 1, [{ sku: 1 }]);
  const full = new Error('full');
  const reserve = () => Promise.reject(full);
  await expect(new RowMerger(mergedRun(1), { ...parts, reserve }).merge()).rejects.toBe(full);
  expect(await parts.changes.countDocuments()).toBe(0);
});
