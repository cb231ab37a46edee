import { parseProgress, parseTable } from './drawn-texts.js';

test.each([
  ['Pages: 3 of 10', { label: 'Pages', done: 3, total: 10 }],
  ['shop: part 2 of 3: 0.5 of 1', { label: 'shop: part 2 of 3', done: 0.5, total: 1 }],
  ['12 of 8', { label: '', done: 12, total: 8 }],
  ['Books: 7', null],
  ['0 of 0', null],
  ['Pages: NaN of 10', null],
  ['', null],
])('parseProgress reads %j as label, done and total, or returns null', (text, value) => {
  expect(parseProgress(text)).toEqual(value);
});

test('parseTable reads column names, rows and the note from the text of a table', () => {
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

test('parseTable returns null for text without a rule below its first line', () => {
  for (const text of ['(no rows)', 'a │ b\nc │ d', '']) expect(parseTable(text)).toBeNull();
});
