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
      'broken: The most frequent value of title was ',
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
