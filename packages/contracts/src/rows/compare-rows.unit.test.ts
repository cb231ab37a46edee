import { compareRows } from './compare-rows.js';
import type { Row } from './row-differences.js';

const keyed = (sku: string, fields: object): Row => ({ _key: `{"sku":"${sku}"}`, sku, ...fields });
const countsOf = (was: Row[], now: Row[]) => {
  const { items, fields, match_field, ...counts } = compareRows(was, now);
  return counts;
};

it('rows with keys are the same row wherever they are, and the fields that differ are named', () => {
  const was = [keyed('a', { price: 1, shop: { city: 'Bath', open: true } }), keyed('b', { price: 2 }), keyed('c', {})];
  const now = [keyed('d', { price: 4 }), keyed('b', { price: 2 }), keyed('a', { price: 3, shop: { open: true } })];
  expect(compareRows(was, now)).toEqual({
    equal: 1,
    changed: 1,
    added: 1,
    gone: 1,
    matched_by: 'key',
    match_field: null,
    fields: [
      { field: 'price', rows: 1 },
      { field: 'shop.city', rows: 1 },
    ],
    items: [
      {
        kind: 'changed',
        key: '{"sku":"a"}',
        fields: { price: { was: 1, now: 3 }, 'shop.city': { was: 'Bath', now: null } },
        row: { sku: 'a', price: 3, shop: { open: true } },
      },
      { kind: 'added', key: '{"sku":"d"}', fields: null, row: { sku: 'd', price: 4 } },
      { kind: 'gone', key: '{"sku":"c"}', fields: null, row: { sku: 'c' } },
    ],
  });
});

it('fields of the platform, the order of fields, null and equal arrays are no difference; types and the order in arrays are', () => {
  const one = {
    _id: '1',
    _run: 'x',
    _at: 'y',
    _first: 'x',
    _attempt: 1,
    ...keyed('a', { n: 1, tags: ['p', { q: 1, r: 2 }] }),
  };
  const other = { tags: ['p', { r: 2, q: 1 }], n: 1, sku: 'a', _key: '{"sku":"a"}', _id: '2', _attempt: 2 };
  expect(countsOf([one], [other])).toMatchObject({ equal: 1, changed: 0 });
  const changed = compareRows([one], [{ ...other, n: '1', tags: [{ q: 1, r: 2 }, 'p'], none: null }]);
  expect(changed.items[0]?.fields).toEqual({
    n: { was: 1, now: '1' },
    tags: { was: ['p', { q: 1, r: 2 }], now: [{ q: 1, r: 2 }, 'p'] },
  });
});

it('without keys, the field that tells rows apart takes their place', () => {
  const row = (url: string, price: number) => ({ currency: 'EUR', price, url });
  const was = [row('/a', 5), row('/b', 5), row('/c', 7)];
  const now = [row('/c', 7), row('/d', 5), row('/a', 6)];
  expect(compareRows(was, now)).toMatchObject({
    equal: 1,
    changed: 1,
    added: 1,
    gone: 1,
    matched_by: 'field',
    match_field: 'url',
    items: [
      { kind: 'changed', key: '"/a"', fields: { price: { was: 5, now: 6 } } },
      { kind: 'added', key: '"/d"' },
      { kind: 'gone', key: '"/b"' },
    ],
  });
});

it('without keys and such a field, equal rows match in any order, and the others one by one if they are alike', () => {
  const row = (name: string | null, price: number) => ({ name, price });
  const was = [row(null, 1), row('x', 2), row('x', 2), row(null, 2)];
  const now = [row('x', 2), row('one', 1), row('x', 2), row('two', 2)];
  expect(compareRows(was, now)).toMatchObject({
    equal: 2,
    changed: 2,
    added: 0,
    gone: 0,
    matched_by: 'row',
    fields: [{ field: 'name', rows: 2 }],
    items: [
      { kind: 'changed', key: null, fields: { name: { was: null, now: 'one' } }, row: { name: 'one', price: 1 } },
      { fields: { name: { was: null, now: 'two' } } },
    ],
  });
  expect(countsOf([{ a: true, b: 1, c: 1 }], [{ a: true, b: 2, c: 2 }])).toMatchObject({
    changed: 0,
    added: 1,
    gone: 1,
  });
});

it('a row that is there twice matches only two equal rows', () => {
  expect(countsOf([{ n: 1 }, { n: 1 }], [{ n: 1 }, { n: 1 }, { n: 1 }])).toEqual({
    equal: 2,
    changed: 0,
    added: 1,
    gone: 0,
    matched_by: 'row',
  });
});

it('a run in which a row has no key of its own is not compared by key', () => {
  const was = [keyed('a', { n: 1 }), keyed('b', { n: 1 })];
  expect(countsOf(was, [keyed('a', { n: 1 }), { sku: 'b', n: 1 }])).toMatchObject({ equal: 2, matched_by: 'field' });
  expect(countsOf(was, [keyed('a', { n: 1 }), keyed('a', { n: 1 })])).toMatchObject({ matched_by: 'row' });
});

it('a run without rows is compared with any other', () => {
  expect(countsOf([], [])).toEqual({ equal: 0, changed: 0, added: 0, gone: 0, matched_by: 'row' });
  expect(countsOf([], [keyed('a', {})])).toMatchObject({ added: 1, matched_by: 'key' });
  expect(countsOf([{ n: 1 }], [])).toMatchObject({ gone: 1, matched_by: 'row' });
});

it('a comparison counts all rows, but shows only the first ones, and only the begin of long values', () => {
  const rows = (price: number) => Array.from({ length: 2_000 }, (_, sku) => keyed(String(sku), { price }));
  const { changed, fields, items } = compareRows([...rows(1), keyed('x', {})], rows(2));
  expect({ changed, fields, shown: items.length }).toEqual({
    changed: 2_000,
    fields: [{ field: 'price', rows: 2_000 }],
    shown: 301,
  });
  const long = compareRows([keyed('a', { text: 'x'.repeat(5_000) })], [keyed('a', { text: 'y'.repeat(9_000_000) })]);
  expect(long.items[0]?.fields?.text).toEqual({ was: `${'x'.repeat(1_000)}…`, now: `${'y'.repeat(1_000)}…` });
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, index]));
  const {
    items: [item],
    fields: counted,
  } = compareRows([keyed('a', wide)], [keyed('a', {})]);
  expect([Object.keys(item?.fields ?? {}).length, counted.length]).toEqual([50, 200]);
});

it('names of any length make a small comparison: long paths are compared as a whole, and cut', () => {
  const name = 'n'.repeat(250_000);
  const row = (n: number) =>
    keyed('a', { [name]: Object.fromEntries(Array.from({ length: 25_000 }, (_, index) => [`f${index}`, n])) });
  const comparison = compareRows([row(1)], [row(2)]);
  expect(comparison.fields).toEqual([{ field: `${name.slice(0, 500)}…`, rows: 1 }]);
  expect(JSON.stringify(comparison).length).toBeLessThan(10_000);
});

it('a field named __proto__ is a field', () => {
  const row = (n: number): Row => JSON.parse(`{"_key":"1","__proto__":${n}}`);
  const { items } = compareRows([row(1)], [row(2)]);
  expect(Object.entries(items[0]?.fields ?? {})).toEqual([['__proto__', { was: 1, now: 2 }]]);
});

it('a field whose name has a dot does not hide one in an object', () => {
  const was = [keyed('a', { 'a.b': 1, a: { b: 2, c: 3 }, d: { e: 4 } })];
  const now = [keyed('a', { 'a.b': 11, a: { b: 12, c: 3 }, d: { e: 14 } })];
  expect(compareRows(was, now).items[0]?.fields).toEqual({
    'a.b': { was: 1, now: 11 },
    a: { was: { b: 2, c: 3 }, now: { b: 12, c: 3 } },
    'd.e': { was: 4, now: 14 },
  });
});

describe('times at which the runs ran', () => {
  const at = (minute: number, second = 0) => `2026-11-27T10:${String(minute).padStart(2, '0')}:0${second}.000Z`;
  const ran = (minute: number) => ({ from: Date.parse(at(minute)), to: Date.parse(at(minute, 5)) });
  const times = { was: ran(1), now: ran(7) };
  const row = (sku: string | undefined, time: unknown): Row => ({ ...(sku && { sku }), name: 'Rope', seen: { time } });
  const compare = (was: Row[], now: Row[]) => {
    const { equal, changed, added, gone } = compareRows(was, now, times);
    return [equal, changed, added, gone];
  };

  it.each([
    ['ISO texts', at(1, 2), at(7, 3)],
    ['milliseconds', Date.parse(at(1, 2)), Date.parse(at(7, 3))],
    ['values in a list', [at(1)], [at(7)]],
  ])('%s count as equal', (_, was, now) => {
    expect(compare([row('a', was), row('b', was)], [row('b', now), row('a', now)])).toEqual([2, 0, 0, 0]);
    expect(compare([row(undefined, was), row(undefined, was)], [row(undefined, now)])).toEqual([1, 0, 0, 1]);
    expect(compareRows([row('a', was)], [row('a', now)])).toMatchObject({ equal: 0, changed: 1 });
  });

  it.each([
    ['outside of the later run', at(1), at(8)],
    ['outside of the earlier run', at(2), at(7)],
    ['of the earlier run and a text', at(1), 'soon'],
    ['of the earlier run and nothing', at(1), null],
  ])('a time %s differs', (_, was, now) => {
    expect(compare([row('a', was)], [row('a', now)])).toEqual([0, 1, 0, 0]);
  });

  it('rows without a key that are the same find each other first', () => {
    const [one, other] = [row(undefined, at(1, 1)), row(undefined, at(1, 2))];
    expect(compare([one, other], [other, row(undefined, at(7))])).toEqual([2, 0, 0, 0]);
  });
});
