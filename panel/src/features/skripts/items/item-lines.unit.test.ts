import { lineOf, numberFields } from './item-lines.js';
import type { Item, ItemChange } from './items.js';

const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
const ITEM: Item = {
  id: 'x',
  key: '{"sku":"B01"}',
  fields: { price: 9, shop: { stock: 4, city: 'Bath' }, sizes: [1] },
  first_seen: at(1),
  last_seen: at(5),
  changed_at: at(3),
  gone_at: null,
};
const change = (day: number, fields: ItemChange['fields']): ItemChange => ({
  execution_id: 'r',
  kind: 'changed',
  item_id: 'x',
  key: ITEM.key,
  fields,
  at: at(day),
});

it('numbers are found in nested objects, and not in lists', () => {
  expect(numberFields([ITEM, { fields: { rank: 1, price: 'x' } }])).toEqual(['price', 'shop.stock', 'rank']);
});

it('the line of a field begins with its first value, and has a point for each change', () => {
  const changes = [change(3, { price: { was: 7, now: 9 } }), change(2, { price: { was: 5, now: 7 } })];
  expect(lineOf(ITEM, 'price', changes)).toEqual([
    { at: at(1), value: 5 },
    { at: at(2), value: 7 },
    { at: at(3), value: 9 },
    { at: at(5), value: 9 },
  ]);
});

it('the line of a field that never changed is level, and values that are no numbers have no point', () => {
  expect(lineOf(ITEM, 'shop.stock', [])).toEqual([
    { at: at(1), value: 4 },
    { at: at(5), value: 4 },
  ]);
  expect(lineOf(ITEM, 'price', [change(2, { price: { was: null, now: 9 } })]).map(({ value }) => value)).toEqual([
    9, 9,
  ]);
  expect(lineOf(ITEM, 'shop.city', [])).toEqual([]);
  const dotted = { ...ITEM, fields: { 'price.now': 3, price: 4 } };
  expect(lineOf(dotted, 'price.now', []).map(({ value }) => value)).toEqual([3, 3]);
});
