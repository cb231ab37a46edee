import { parseProgress, parseTable } from './drawn-texts.js';

test.each([
  ['Pages: 3 of 10', { label: 'Pages', done: 3, total: 10 }],
  ['shop: part 2 of 3: 0.5 of 1', { label: 'shop: part 2 of 3', done: 0.5, total: 1 }],
  ['12 of 8', { label: '', done: 12, total: 8 }],
  ['Books: 7', null],
  ['0 of 0', null],
  ['Pages: NaN of 10', null],
  ['', null],
])('progress of %j', (text, value) => {
  expect(parseProgress(text)).toEqual(value);
});

test('a table has its names, rows and the note', () => {
  const text = [
    'title  │ price │ note',
    '───────┼───────┼─────',
    'A book │ 12.5  │',
    '       │ 3     │ one⏎two | three',
    '… and 4200 more rows',
  ];
  expect(parseTable(text.join('\n'))).toEqual({
    names: ['title', 'price', 'note'],
    rows: [
      ['A book', '12.5', ''],
      ['', '3', 'one⏎two | three'],
    ],
    note: '… and 4200 more rows',
  });
});

test('text without the rule below its first line is no table', () => {
  for (const text of ['(no rows)', 'a │ b\nc │ d', '']) expect(parseTable(text)).toBeNull();
});
