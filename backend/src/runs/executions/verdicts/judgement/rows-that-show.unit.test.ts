import { expect, test } from '@jest/globals';
import { rowsThatShow } from './rows-that-show.js';
import type { Finding } from './verdict.js';

const FINDING: Finding = {
  level: 'broken',
  target: 'dataset',
  what: 'filled',
  field: 'price',
  was: 1,
  now: 0.4,
  text: '',
};
const shown = (finding: Partial<Finding>, ...rows: object[]) =>
  rowsThatShow(
    { ...FINDING, ...finding },
    rows.map(row => ({ row })),
  );

test('rows without a value show that a field is empty', () => {
  const empty = [{ shop: { city: '' } }, { shop: {} }, { shop: { city: { $numberDouble: 'NaN' } } }];
  expect(shown({ field: 'shop.city' }, { shop: { city: 'Oslo' } }, ...empty, { 'shop.city': ' ' })).toEqual(empty);
});

test('a row from which fields were left out shows only those empty fields that are known', () => {
  const examples = [
    { row: { sku: 1 }, lacks_fields: true, empty: ['size'] },
    { row: { sku: 2 }, lacks_fields: true, empty: ['price'] },
    { row: { sku: 3, price: '' }, lacks_fields: true },
  ];
  const skus = (now: number) => rowsThatShow({ ...FINDING, now }, examples).map(row => Reflect.get(row, 'sku'));
  expect(skus(0.4)).toEqual([2, 3]);
  expect(skus(0)).toEqual([1, 2, 3]);
});

test('rows with the values of this run show that numbers are larger, and texts shorter', () => {
  const prices = [14, 1500, '', 1400, 15, -1450, 90_000].map(price => ({ price }));
  expect(shown({ what: 'number', was: 14.5, now: 1450 }, ...prices)).toEqual(
    [-1450, 1500, 1400].map(price => ({ price })),
  );
  expect(shown({ what: 'length', was: 40, now: 8_000 }, { price: `${'x'.repeat(30)}…` }, { price: 'x' })).toHaveLength(
    1,
  );
  const texts = ['x'.repeat(800), 'short', 'shorter', 5].map(price => ({ price }));
  expect(shown({ what: 'length', was: 700, now: 6 }, ...texts)).toEqual([{ price: 'shorter' }, { price: 'short' }]);
});

test('rows with another type show a change of the type', () => {
  const rows = [5, '5 €', { $date: '2026' }, null, { amount: 5 }, true].map(price => ({ price }));
  expect(shown({ what: 'type', usualType: 'number' }, ...rows).length).toBe(3);
  expect(shown({ what: 'type', usualType: 'date' }, { price: { $date: '2026' } }, { price: '2026' })).toEqual([
    { price: '2026' },
  ]);
});

test('rows with the most frequent value show that there is little variety', () => {
  const rows = ['Emma', 'Accept', 'Sails', 'Accept'].map((price, n) => ({ n, price }));
  expect(shown({ what: 'variety' }, ...rows)).toEqual([rows[1], rows[3]]);
});

test('repeated rows show duplicates, and no row shows a number of rows', () => {
  const examples = [{ row: { n: 1 } }, { row: { n: 2 }, is_repeated: true }];
  expect(rowsThatShow({ ...FINDING, field: null, what: 'duplicates' }, examples)).toEqual([{ n: 2 }]);
  expect(rowsThatShow({ ...FINDING, field: null, what: 'rows' }, examples)).toEqual([]);
});
