import { describe, expect, test } from '@jest/globals';
import { serialize } from 'bson';
import fc from 'fast-check';
import { checkDocuments } from '../../../../data/storage/values/bson-bytes.js';
import { newBudget } from './row-fields.js';
import { RowProfile } from './row-profile.js';
import { RunProfiler } from './run-profiler.js';

function profileOf(rows: object[], reserved: string[] = []) {
  const profile = new RowProfile('dataset', reserved, newBudget());
  for (const row of rows) {
    const bytes = Buffer.from(serialize(row));
    profile.add(bytes, 0, bytes.length);
  }
  return profile.summary();
}

const fieldOf = (summary: ReturnType<typeof profileOf>, path: string) =>
  summary.fields.find(field => field.path === path);

describe('the profile of rows', () => {
  test('has the share of rows with a value, its types, its most frequent value and its sizes', () => {
    const rows = Array.from({ length: 200 }, (_, n) => ({
      sku: `sku-${n}`,
      price: n % 4 === 0 ? '' : 10 + n / 10,
      shop: { city: n % 2 === 0 ? 'Bergen' : 'Oslo' },
      tags: n % 5 === 0 ? [] : ['new'],
    }));
    const summary = profileOf(rows);
    expect(summary).toMatchObject({ rows: 200, duplicates: 0, has_more_fields: false });
    expect(fieldOf(summary, 'price')).toMatchObject({ filled: 0.75, types: { number: 1 } });
    const [low = 0, middle = 0, high = 0] = fieldOf(summary, 'price')?.numbers ?? [];
    expect([low / 11, middle / 20, high / 29].every(ratio => ratio > 0.9 && ratio < 1.1)).toBe(true);
    expect(fieldOf(summary, 'shop.city')).toMatchObject({ filled: 1, types: { text: 1 }, distinct: 2, top: 0.5 });
    expect(fieldOf(summary, 'tags')).toMatchObject({ filled: 0.8, types: { list: 1 } });
    // 32 registers are right to about 18 %.
    expect(fieldOf(summary, 'sku')?.distinct).toBeGreaterThan(120);
  });

  test('has all figures of 200 fields', () => {
    const wide = (n: number) =>
      Object.fromEntries(Array.from({ length: 200 }, (_, field) => [`f${field}`, field % 2 ? n : `${n}`]));
    const { fields } = profileOf(Array.from({ length: 100 }, (_, n) => wide(n)));
    expect(fields.filter(({ distinct, top }) => distinct !== undefined && top !== undefined)).toHaveLength(200);
    for (const { numbers, lengths } of fields) expect((numbers ?? lengths)?.length).toBe(3);
    expect(fields.at(-1)?.numbers?.[1]).toBeGreaterThan(40);
    expect(fields.at(-1)?.numbers?.[1]).toBeLessThan(60);
  });

  test('has quantiles that hardly change with the rows, also if they are far apart', () => {
    const medianOf = (count: number) => {
      const { fields } = profileOf(Array.from({ length: count }, (_, n) => ({ size: 10 ** ((n * 16) / count) })));
      return Math.log10(fields[0]?.numbers?.[1] ?? 0);
    };
    for (const count of [400, 410, 437, 480]) expect(Math.abs(medianOf(count) - 8)).toBeLessThan(0.2);
  });

  test('reads fewer rows if they are wide, and counts all', () => {
    const wide = (fields: number) =>
      Array.from({ length: 1_000 }, () => Object.fromEntries(Array.from({ length: fields }, (_, n) => [`f${n}`, n])));
    expect(profileOf(wide(10))).toMatchObject({ rows: 1_000, read: 1_000 });
    const { rows, read = 0, fields } = profileOf(wide(100));
    expect([rows, fields.length]).toEqual([1_000, 100]);
    expect(read).toBeGreaterThan(400);
    expect(read).toBeLessThan(600);
  });

  test('counts the rows that are the same, apart from what the platform sets', () => {
    const rows = Array.from({ length: 300 }, (_, n) => ({ _id: n, _run: 'x', title: `book ${n % 150}` }));
    const { duplicates } = profileOf(rows, ['_id', '_run', '_at']);
    expect(duplicates).toBeGreaterThan(0.45);
    expect(duplicates).toBeLessThan(0.55);
  });

  test.each([
    ['names like those of prototypes', [{ constructor: 1, hasOwnProperty: 'x', toString: true }]],
    ['a name of a megabyte', [{ ['n'.repeat(1_000_000)]: 1 }]],
    ['a text of ten megabytes', [{ text: 'x'.repeat(10_000_000) }]],
    ['numbers that are none', [{ a: Number.NaN, b: Number.POSITIVE_INFINITY, c: -0, d: 5e-324, e: 1.7e308 }]],
    ['very many names', [Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`n${n}`, n]))]],
    ['names that change', Array.from({ length: 2_000 }, (_, n) => ({ [`n${n}`]: { [`m${n}`]: n } }))],
    ['no fields', [{}, {}]],
  ])('stays below 64 KB with %s', (_, rows) => {
    const summary = profileOf(rows);
    expect(summary.rows).toBe(rows.length);
    expect(summary.fields.length).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThan(64 * 1024);
  });

  test('survives __proto__ and deep nesting in rows of JSON', () => {
    const profiler = new RunProfiler();
    profiler.addJson('postgresql:books', '[{"__proto__": {"x": 1}, "title": "Emma"}]');
    profiler.addJson('postgresql:books', `[{"deep": ${'['.repeat(100_000)}${']'.repeat(100_000)}}]`);
    const writes = [
      { store: 'postgresql' as const, database: null, name: 'books', inserted: 1, updated: 0, deleted: 0 },
    ];
    const { targets } = profiler.profile(0, writes);
    expect(targets[0]?.fields.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['__proto__', '__proto__.x', 'title']),
    );
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('lacks only the row of a call that BSON cannot hold, and nothing else of a call that is no array', () => {
    const profiler = new RunProfiler();
    profiler.addJson('postgresql:books', JSON.stringify([{ 'a\0b': 1 }, { title: 'Emma' }, { title: 'Sails' }]));
    for (const text of ['5', 'null', '{"title": "x"}', 'no JSON']) profiler.addJson('postgresql:books', text);
    const write = { store: 'postgresql' as const, database: null, name: 'books', inserted: 2, updated: 0, deleted: 0 };
    expect(profiler.profile(0, [write]).targets).toMatchObject([{ rows: 2, fields: [{ path: 'title', filled: 1 }] }]);
  });

  test('counts a field only in rows that it has read to the field', () => {
    const wide = Object.fromEntries(Array.from({ length: 450 }, (_, n) => [`f${n}`, n]));
    const rows = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? { price: n, empty: n, rare: n % 4 === 0 ? 1 : null } : { empty: null, ...wide, price: n },
    );
    const shares = Object.fromEntries(profileOf(rows).fields.map(({ path, filled }) => [path, filled]));
    expect(shares).toMatchObject({ price: 1, empty: 0.5, rare: 0.5, f0: 0.5 });
  });

  test('has shares between 0 and 1 and never fails, for any rows', () => {
    const value = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.date());
    const row = fc.dictionary(
      fc.string({ maxLength: 5 }).filter(name => !name.includes('\0') && name !== '__proto__'),
      value,
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 60 }), rows => {
        const summary = profileOf(rows);
        expect(summary.rows).toBe(rows.length);
        for (const field of summary.fields) {
          const filled = rows.filter(one => isFilled(one[field.path])).length;
          expect(field.filled).toBeCloseTo(filled / rows.length, 3);
          const shares = Object.values(field.types).reduce((sum, share) => sum + share, 0);
          expect(filled === 0 ? 1 : shares).toBeCloseTo(1, 3);
        }
      }),
    );
  });
});

const isFilled = (value: unknown): boolean => {
  if (value === null || value === undefined || Number.isNaN(value)) return false;
  return typeof value !== 'string' || [...Buffer.from(value)].some(byte => byte > 0x20);
};

describe('the profile of a run', () => {
  const callOf = (...rows: object[]) => checkDocuments(Buffer.concat(rows.map(row => serialize(row))));

  test('counts a call once that the worker repeats', () => {
    const profiler = new RunProfiler();
    const call = callOf({ _id: 1, title: 'Emma' }, { _id: 2, title: 'Knots' });
    profiler.addDocuments('dataset', call, 2);
    profiler.addDocuments('dataset', call, 2);
    expect(profiler.profile(2, []).targets).toMatchObject([{ target: 'dataset', rows: 2, duplicates: 0 }]);
  });

  test('is bounded, and notes that it lacks fields, whatever their names and where the run writes', () => {
    const profiler = new RunProfiler();
    const names = Array.from({ length: 190 }, (_, n) => [`${n}${'\u0001'.repeat(78)}`, { ['ö'.repeat(39)]: n }]);
    profiler.addDocuments('dataset', callOf({ _id: 1, ...Object.fromEntries(names) }), 1);
    const writes = Array.from({ length: 100 }, (_, n) => ({
      store: 'mongodb' as const,
      database: null,
      name: `${n}${'x'.repeat(100)}`,
      inserted: 0,
      updated: 1,
      deleted: 0,
    }));
    const profile = profiler.profile(1, writes);
    expect(Buffer.byteLength(JSON.stringify(profile))).toBeLessThan(41 * 1024);
    expect(profile).toMatchObject({ skipped: { length: 100 }, targets: [{ has_more_fields: true }] });
  });

  test('lists a target as skipped if it has seen only some of its rows', () => {
    const profiler = new RunProfiler();
    profiler.addDocuments('dataset', callOf({ _id: 1, title: 'Emma' }), 1);
    const profile = profiler.profile(5, []);
    expect(profile.targets).toEqual([]);
    expect(profile.skipped).toEqual([
      { target: 'dataset', reason: expect.stringContaining('1 of the 5 rows'), rows: 5 },
    ]);
  });
});
