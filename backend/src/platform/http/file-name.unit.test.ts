import { fileNameOf, VISIBLE_NAME } from './file-name.js';

const REORDERING = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'];

test.each(REORDERING)('file names of downloads do not contain the character %j', character => {
  expect(fileNameOf(`books${character}vsc.exe`, 'x')).toBe('books_vsc.exe');
});

test.each([...REORDERING, '\u0000', '\n', '\u0085', '\u2028'])(
  'file names of uploads may not contain the character %j',
  character => {
    expect(VISIBLE_NAME.test(`books${character}.csv`)).toBe(false);
  },
);

test('file names of uploads may be in any script and contain joined emoji', () => {
  for (const name of ['Größe.csv', 'ספרים.csv', '書籍.json', '👩‍👧.csv']) expect(VISIBLE_NAME.test(name)).toBe(true);
});
