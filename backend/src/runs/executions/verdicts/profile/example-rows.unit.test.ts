import { describe, expect, test } from '@jest/globals';
import { deserialize, serialize } from 'bson';
import fc from 'fast-check';
import { newBudget } from './row-fields.js';
import { RowProfile } from './row-profile.js';

const MAX_BYTES = 800;

function examplesOf(rows: object[]) {
  const profile = new RowProfile('dataset', ['_id'], newBudget());
  for (const row of rows) {
    const bytes = Buffer.from(serialize(row));
    profile.add(bytes, 0, bytes.length);
  }
  return profile.examples.map(({ bytes, ...example }) => {
    expect(bytes.length).toBeLessThanOrEqual(MAX_BYTES);
    return { ...example, row: deserialize(bytes) };
  });
}

describe('the examples of a run', () => {
  test('have rows without a value, also if few rows are', () => {
    const rows = Array.from({ length: 900 }, (_, n) => ({
      n,
      price: n % 300 === 299 ? '' : n,
      ...(n % 300 > 0 && { city: 'Oslo' }),
    }));
    const examples = examplesOf(rows);
    expect(examples.filter(({ row }) => row.price === '').map(({ row }) => row.n)).toEqual([299, 599, 899]);
    expect(examples.filter(({ row }) => !('city' in row)).length).toBeGreaterThanOrEqual(2);
    expect(examples.length).toBeLessThanOrEqual(19);
  });

  test('have rows that are the same as an earlier one, however far from it', () => {
    const catalogue = Array.from({ length: 5_000 }, (_, n) => ({ sku: `sku-${n}` }));
    const repeated = examplesOf([...catalogue, ...catalogue].map((row, n) => ({ _id: n, ...row }))).filter(
      ({ isRepeated }) => isRepeated,
    );
    expect(repeated).toHaveLength(3);
    for (const { row } of repeated) expect(row._id).toBe(5_000 + Number(row.sku.slice(4)));
    expect(examplesOf(catalogue).filter(({ isRepeated }) => isRepeated)).toEqual([]);
  });

  test('have large rows with short texts and lists', () => {
    const row = {
      _id: 1,
      url: 'https://shop.example/1',
      html: 'ö'.repeat(100_000),
      price: 5,
      tags: Array.from('abcdefgh'),
    };
    const [example] = examplesOf([row]);
    expect(example).toMatchObject({
      lacksFields: false,
      row: { ...row, html: `${'ö'.repeat(50)}…`, tags: ['a', 'b', 'c'] },
    });
  });

  test('show each field of very wide rows in some of them, with the fields that name the row', () => {
    const wide = (n: number) =>
      Object.fromEntries([
        ['sku', n],
        ...Array.from({ length: 150 }, (_, field) => [`field_${field}`, `${n} `.repeat(20)]),
      ]);
    const examples = examplesOf(Array.from({ length: 2_000 }, (_, n) => wide(n)));
    expect(examples.every(({ row, lacksFields }) => lacksFields && typeof row.sku === 'number')).toBe(true);
    const shown = new Set(examples.flatMap(({ row }) => Object.keys(row)));
    expect(shown.size).toBeGreaterThan(100);
  });

  test('keep the field of a wide row that has no value', () => {
    const wide = (n: number) =>
      Object.fromEntries(
        Array.from({ length: 150 }, (_, field) => [
          `field_${field}`,
          n === 50 && field === 120 ? '' : `${n}`.repeat(40),
        ]),
      );
    const example = examplesOf(Array.from({ length: 60 }, (_, n) => wide(n))).find(({ empty }) =>
      empty.includes('field_120'),
    );
    expect(example?.row).toMatchObject({ field_0: expect.any(String), field_120: '' });
  });

  test('are well-formed and bounded, for any rows', () => {
    const value = fc.letrec(tie => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.string({ maxLength: 400, unit: 'binary' }),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.date({ noInvalidDate: true }),
        fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
        fc.array(tie('any'), { maxLength: 8 }),
        fc.dictionary(fc.string({ maxLength: 20 }).filter(isName), tie('any')),
      ),
    })).any;
    const row = fc.dictionary(fc.string({ maxLength: 100 }).filter(isName), value, { maxKeys: 40 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 10 }), rows => {
        expect(examplesOf(rows).length).toBeGreaterThan(0);
      }),
    );
  });
});

const isName = (name: string) => !name.includes('\0') && name !== '__proto__';
