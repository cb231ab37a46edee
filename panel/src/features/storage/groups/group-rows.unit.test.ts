import { chartNote, groupBars, groupName } from './group-rows.js';

const at = (...parts: [number, number, number, number?]) => new Date(...parts).toISOString();

test.each([
  [null, '', 'no value'],
  ['', '', 'empty text'],
  ['HR', '', 'HR'],
  [12.5, '', '12.5'],
  [{ a: 1 }, '', '{"a":1}'],
  [null, 'day', 'no time'],
  [at(2026, 0, 31), 'day', '31 Jan 2026'],
  [at(2026, 0, 1), 'month', 'Jan 2026'],
  ['infinity', 'day', 'infinity'],
] as const)('the group %j, for each %j, is called %s', (group, every, name) => {
  expect(groupName(group, every)).toBe(name);
});

test('a chart over time has a bar for each day from the first to the last, also those without documents', () => {
  const groups = [
    { group: at(2026, 2, 1), count: 2, average: -3 },
    { group: null, count: 9 },
    { group: at(2026, 1, 27), count: 5, average: null },
  ];
  const bars = groupBars(groups, 'day', 'count');
  expect(bars.map(({ name, value }) => [name, value])).toEqual([
    ['27 Feb 2026', 5],
    ['28 Feb 2026', 0],
    ['1 Mar 2026', 2],
  ]);
  const months = [
    { group: at(2026, 2, 1), count: 2, average: -3 },
    { group: at(2026, 0, 1), count: 5, average: null },
  ];
  expect(groupBars(months, 'month', 'average').map(({ value }) => value)).toEqual([0, 0, -3]);
  expect(groupBars([{ group: null, count: 9 }], 'day', 'count')).toEqual([]);
});

test('a chart of values has bars of the largest groups, in their order', () => {
  const groups = Array.from({ length: 60 }, (_, n) => ({ group: `g${n}`, count: 100 - n }));
  const bars = groupBars(groups, '', 'count');
  expect([bars.length, bars[0]]).toEqual([40, { key: '0', name: 'g0', value: 100 }]);
});

test('a chart says which groups and values it leaves out', () => {
  const noteOf = (groups: Parameters<typeof groupBars>[0], every: 'hour' | '', measure: 'count' | 'sum' = 'count') =>
    chartNote(groups, every, groupBars(groups, every, measure));
  const hours = [0, 30].map(days => ({ group: new Date(2026, 1, 1 + days).toISOString(), count: 1 }));
  expect(noteOf(hours, 'hour')).toBe('The chart shows the last 400 of them. The table has all figures.');
  expect(noteOf(hours.slice(1), 'hour')).toBe('');
  const values = Array.from({ length: 41 }, (_, n) => ({ group: `g${n}`, count: 1, sum: n - 1 }));
  expect(noteOf(values, '')).toBe('The chart shows the largest 40 of them. The table has all figures.');
  expect(noteOf(values.slice(0, 3), '', 'sum')).toBe('Values below 0 have no bar. The table has all figures.');
  expect(noteOf([{ group: null, count: 9 }], 'hour')).toBe('');
});
