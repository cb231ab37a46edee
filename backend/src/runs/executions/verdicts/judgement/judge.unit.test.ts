import { describe, expect, test } from '@jest/globals';
import { serialize } from 'bson';
import fc from 'fast-check';
import { newBudget } from '../profile/row-fields.js';
import { RowProfile } from '../profile/row-profile.js';
import type { RunProfile } from '../profile/run-profile.js';
import { RunProfiler } from '../profile/run-profiler.js';
import { judge } from './judge.js';

type Row = Record<string, unknown>;

function profileOf(rows: Row[]): RunProfile {
  const profile = new RowProfile('dataset', [], newBudget());
  for (const row of rows) {
    const bytes = Buffer.from(serialize(row));
    profile.add(bytes, 0, bytes.length);
  }
  return { targets: rows.length === 0 ? [] : [profile.summary()], skipped: [] };
}

/** A catalogue that changes a little from day to day. */
const catalogue = (day: number): Row[] =>
  Array.from({ length: 100 + (day % 3) }, (_, n) => ({
    sku: `sku-${n}`,
    title: `Book number ${n} of the shop`,
    price: n % 50 === day % 50 ? '' : 5 + ((n * 7) % 40),
    rating: n % 5,
  }));
const earlier = [1, 2, 3, 4, 5].map(day => profileOf(catalogue(day)));
const textsOf = (rows: Row[]) => judge(profileOf(rows), earlier).findings.map(({ level, text }) => `${level}: ${text}`);

/** Three runs with the same rows, then one with others. */
const textsAfter = (rows: Row[], then: Row[]) =>
  judge(profileOf(then), [rows, rows, rows].map(profileOf)).findings.map(({ text }) => text);
const many = (row: (n: number) => Row, length = 40): Row[] => Array.from({ length }, (_, n) => row(n));

describe('the sentence of a finding', () => {
  test.each<[string, Row[], Row[], string]>([
    ['one row', [{ a: 1 }], [], 'The dataset usually gets 1 row and got 0.'],
    [
      'a type that begins with a vowel',
      many(n => ({ shop: { id: n } })),
      many(() => ({ shop: 'Shop' })),
      'shop was an object in 100 % of its values, now in 0 %.',
    ],
    [
      'numbers that are all negative',
      many(n => ({ longitude: -70 - (n % 9) })),
      many(n => ({ longitude: -0.7 - (n % 9) / 100 })),
      'The numbers in longitude were about -73, now -0.74.',
    ],
    [
      'numbers that have become negative',
      many(n => ({ price: 30 + (n % 9) })),
      many(n => ({ price: -2 - (n % 2) })),
      '95 % of the numbers in price were below about 38, now -2.',
    ],
    [
      'numbers on both sides of 0',
      many(n => ({ latitude: (n % 20) - 10 })),
      many(n => ({ latitude: 100 * ((n % 20) - 10) })),
      '95 % of the numbers in latitude were below about 8.2, now 840.',
    ],
    [
      'texts',
      many(n => ({ title: `Book ${n % 10}: a long title with many words` })),
      many(n => ({ title: `Book${n % 10}` })),
      'The texts in title were about 36 bytes long, now 5.',
    ],
  ])('is true of %s', (_, rows, then, expected) => {
    expect(textsAfter(rows, then)).toContainEqual(expected);
  });

  test.each([
    [949, 1_000, 0.95, '94.9 % of rows; the contract wants at least 95 %'],
    [9_999, 10_000, 1, '99.99 % of rows; the contract wants at least 100 %'],
    [1, 2_900, 0.5, '0.03 % of rows; the contract wants at least 50 %'],
    [41, 100, 0.95, '41 % of rows; the contract wants at least 95 %'],
  ])('tells %d of %d rows from what the contract wants: %d', (filled, rows, least, expected) => {
    const profile = profileOf([{ price: 1 }]);
    const [target] = profile.targets as [RunProfile['targets'][0]];
    const fields = target.fields.map(field => ({ ...field, filled: Math.round((filled / rows) * 1e4) / 1e4 }));
    const of = { ...profile, targets: [{ ...target, rows, fields }] };
    expect(judge(of, [], { fill: { price: least } }).findings.map(({ text }) => text)).toEqual([
      `price was filled in ${expected}.`,
    ]);
  });
});

test('a contract says that it could not check a field, if rows have too many', () => {
  const wide = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`f${n}`, n]));
  const { level, findings } = judge(profileOf([{ ...wide, price: null }]), [], { fill: { price: 0.9, f0: 1 } });
  expect({ level, findings }).toEqual({
    level: 'unusual',
    findings: [
      {
        level: 'unusual',
        target: 'dataset',
        what: 'filled',
        field: 'price',
        was: 0.9,
        now: 0,
        text: 'The contract wants price in at least 90 % of rows. Trawl could not check it: rows have too many fields before it.',
        rows: [],
      },
    ],
  });
});

describe('a verdict', () => {
  test('is new with fewer than 3 earlier runs, and says why', () => {
    expect(judge(profileOf(catalogue(3)), earlier.slice(0, 2))).toEqual({
      level: 'new',
      reason: 'A verdict needs 3 earlier good runs of this skript with the same input; there are 2.',
      findings: [],
    });
  });

  test('is ok for rows that are as usual', () => {
    expect(judge(profileOf(catalogue(6)), earlier)).toEqual({ level: 'ok', reason: null, findings: [] });
  });

  test.each<[string, (rows: Row[]) => Row[], string]>([
    ['no rows', () => [], 'broken: The dataset usually gets 101 rows and got 0.'],
    ['half of the rows', rows => rows.slice(0, 50), 'broken: The dataset usually gets 101 rows and got 50.'],
    [
      'more rows',
      rows => [...rows, ...rows.map(row => ({ ...row, sku: `${row.sku}x` }))],
      'unusual: The dataset usually gets 101 rows and got 200.',
    ],
    ['every row twice', rows => [...rows, ...rows], 'broken: 0 % of the rows were the same as an earlier row, now '],
    [
      'a field without values in a part of the rows',
      rows => rows.map((row, n) => (n % 5 < 3 ? { ...row, price: '' } : row)),
      'broken: price was filled in 98 % of rows, now in 40 %.',
    ],
    [
      'a field that is gone',
      rows => rows.map(({ title: _, ...row }) => row),
      'broken: title was filled in 100 % of rows, now in 0 %.',
    ],
    [
      'the same text everywhere',
      rows => rows.map(row => ({ ...row, title: 'Accept cookies' })),
      'broken: The most frequent value of title was about 1 % of its values, now 100 %.',
    ],
    [
      'texts in place of numbers',
      rows => rows.map(row => ({ ...row, price: row.price === '' ? '' : `${row.price} €` })),
      'broken: price was a number in 100 % of its values, now in 0 %.',
    ],
    [
      'prices in cents',
      rows => rows.map(row => ({ ...row, price: row.price === '' ? '' : Number(row.price) * 100 })),
      'broken: The numbers in price were about ',
    ],
  ])('is about %s', (_, change, expected) => {
    expect(textsOf(change(catalogue(6)))).toContainEqual(expect.stringContaining(expected));
  });

  test('is at most unusual for a change that earlier runs have had, too', () => {
    const jumping = [100, 40, 100, 40, 100].map(count => profileOf(catalogue(1).slice(0, count)));
    expect(judge(profileOf(catalogue(1).slice(0, 40)), jumping).level).not.toBe('broken');
  });

  test('does not judge what the profile lacks', () => {
    const skipped = [{ target: 'dataset', reason: 'Trawl has read 1 of the 5 rows.' }];
    expect(judge({ targets: [], skipped }, earlier)).toEqual({
      level: 'new',
      reason: 'Trawl has read 1 of the 5 rows.',
      findings: [],
    });
  });

  describe('of a run that only changes rows', () => {
    const write = { store: 'postgresql' as const, database: null, name: 'books', inserted: 0, updated: 12, deleted: 3 };
    const changing = new RunProfiler().profile(0, [write]);
    const reason = expect.stringContaining('The run changed 12 and deleted 3 rows in postgresql:books.');

    test('is new, and says why', () => {
      expect(judge(changing, [changing, changing, changing])).toEqual({ level: 'new', reason, findings: [] });
      const unnamed = new RunProfiler().profile(0, [{ ...write, name: null, deleted: 0 }]);
      expect(judge(unnamed, [changing, changing, changing]).reason).toContain('The run changed 12 rows in postgresql.');
    });

    test('is broken if earlier runs have added rows there, or elsewhere', () => {
      const adding = earlier.map(({ targets }) => ({
        targets: targets.map(target => ({ ...target, target: 'postgresql:books' })),
        skipped: [],
      }));
      for (const before of [earlier, adding]) {
        expect(judge(changing, before)).toMatchObject({ level: 'broken', findings: [{ what: 'rows', now: 0 }] });
      }
    });

    test('is new for a run that changes nothing after runs whose rows Trawl has not read', () => {
      const unread = { targets: [], skipped: [{ target: 'mongodb:logs', reason: 'Not read.', rows: 4 }] };
      const nothing = { targets: [], skipped: [] };
      for (const before of [changing, unread]) {
        const { level, reason: why } = judge(nothing, [before, before, before]);
        expect({ level, why }).toEqual({ level: 'new', why: expect.stringContaining('rows Trawl has read') });
      }
      expect(judge(nothing, [nothing, nothing, nothing]).level).toBe('ok');
    });
  });

  test('is ok for a run that is the same as each earlier one, whatever its rows', () => {
    const value = fc.oneof(fc.string({ maxLength: 20 }), fc.double(), fc.integer(), fc.constant(null), fc.boolean());
    const name = fc.string({ maxLength: 4 }).filter(text => !text.includes('\0') && text !== '__proto__');
    fc.assert(
      fc.property(fc.array(fc.dictionary(name, value), { minLength: 1, maxLength: 40 }), rows => {
        const profile = profileOf(rows);
        expect(judge(profile, [profile, profile, profile]).findings).toEqual([]);
      }),
    );
  });
});
