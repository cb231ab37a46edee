import { RowIds } from './row-ids.js';

const FAR = 2 ** 31;

test('imports of the same second give their rows different ids', () => {
  const ids = new Set<string>();
  for (let n = 0; n < 1_000; n += 1) {
    const rows = new RowIds(RowIds.newPrefix());
    for (const row of [1, 2, 2 ** 24, FAR]) ids.add(rows.of(row).toHexString());
  }
  expect(ids.size).toBe(4_000);
});

test('row ids of an import are in the order of its rows, begin with the time, and are the same in each attempt', () => {
  const prefix = RowIds.newPrefix();
  const rows = [1, 2, 255, 2 ** 24 - 1, 2 ** 24, FAR];
  const ids = rows.map(row => new RowIds(prefix).of(row).toHexString());
  expect(ids.toSorted()).toEqual(ids);
  expect(ids).toEqual(rows.map(row => new RowIds(prefix).of(row).toHexString()));
  expect(Math.abs(new RowIds(prefix).of(1).getTimestamp().getTime() - Date.now())).toBeLessThan(300_000);
});

test('an id prefix from an older release still gives an import the same row ids', () => {
  expect(new RowIds('64b7f0c2a1d3e4f5').of(258).toHexString()).toBe('64b7f0c2a1d3e4f500000102');
});
