import { rowOfChange } from './row-of-change.js';

test.each([
  ['a replacement', { filter: { sku: 'A' }, replacement: { sku: 'A', price: 9 } }, { sku: 'A', price: 9 }],
  ['a filter of other fields', { filter: { _id: 'A' }, replacement: { price: 9 } }, { _id: 'A', price: 9 }],
  ['fields that are set', { filter: { sku: 'A' }, update: { $set: { price: 9 } } }, { sku: 'A', price: 9 }],
  [
    'other operators',
    { filter: { sku: 'A' }, update: { $set: { price: 9 }, $inc: { seen: 1 }, $setOnInsert: { first: true } } },
    { sku: 'A', price: 9, $inc: { seen: 1 }, $setOnInsert: { first: true } },
  ],
  [
    'a field of the filter that gets another value',
    { filter: { state: 'new', price: { $gt: 5 } }, update: { $set: { state: 'old' } } },
    { state: 'old', price: { $gt: 5 }, $filter: { state: 'new' } },
  ],
  ['a pipeline', { filter: {}, update: [{ $unset: 'price' }] }, { $pipeline: [{ $unset: 'price' }] }],
])('the row of a call with %s', (_, change, row) => expect(rowOfChange(change)).toEqual(row));

test('calls that change nothing, or delete, have no row', () => {
  expect(rowOfChange({ filter: { sku: 'A' } })).toBeNull();
  expect(rowOfChange({})).toBeNull();
});
