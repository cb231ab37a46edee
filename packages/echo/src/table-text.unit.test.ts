import { tableText } from './table-text.js';

const throws = (): never => {
  throw new Error('no');
};

test('tableText writes one line for each row, with the keys of all rows as columns', () => {
  const rows = [
    { title: 'Sharp Objects', price: 47.82, tags: ['crime'] },
    { title: 'Soumission', stock: null, '': true },
  ];
  expect(tableText(rows).split('\n')).toEqual([
    'title         │ price │ tags      │ stock │',
    '──────────────┼───────┼───────────┼───────┼─────',
    'Sharp Objects │ 47.82 │ ["crime"] │       │',
    'Soumission    │       │           │       │ true',
  ]);
});

test('tableText keeps each row on one line, and does not shorten long cells', () => {
  const long = 'x'.repeat(300);
  expect(tableText([{ a: 'one\r\ntwo │ three', b: 1 }, { a: long }]).split('\n')).toEqual([
    `a${' '.repeat(39)} │ b`,
    `${'─'.repeat(40)}─┼──`,
    `one⏎two | three${' '.repeat(25)} │ 1`,
    `${long} │`,
  ]);
});

test('tableText writes the first 100 rows, then the number of the remaining ones', () => {
  const lines = tableText(Array.from({ length: 1_234 }, (_, n) => ({ n }))).split('\n');
  expect(lines).toHaveLength(103);
  expect(lines.slice(-2)).toEqual(['99', '… and 1134 more rows']);
});

test.each([
  ['no rows', [], '(no rows)'],
  ['rows without fields', [{}, {}], '(no rows)'],
  ['values that are no objects', [1, 'b', null, undefined], 'value\n─────\n1\nb\n\n'],
  ['an object instead of a list', { a: 1 }, 'a\n─\n1'],
  ['values that JSON cannot represent', [{ a: 1n, b: new Date(0) }], /1n │ 1970-01-01T00:00:00\.000Z$/],
  [
    'names of Object.prototype',
    [{ constructor: 1 }, { a: 1 }],
    'constructor │ a\n────────────┼──\n1           │\n            │ 1',
  ],
  ['a getter that throws', [Object.defineProperty({}, 'a', { enumerable: true, get: throws })], /Not writ/],
])('tableText never throws: %s', (_, rows, text) => {
  if (typeof text === 'string') expect(tableText(rows)).toBe(text);
  else expect(tableText(rows)).toMatch(text);
});
