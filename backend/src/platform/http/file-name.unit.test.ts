import { fileNameOf, VISIBLE_NAME } from './file-name.js';

const REORDERING = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'];

test.each(REORDERING)('file names of downloads do not contain %j', character => {
  expect(fileNameOf(`books${character}vsc.exe`, 'x')).toBe('books_vsc.exe');
});

test.each([...REORDERING, '\u0000', '\n', '\u0085', '\u2028'])('names of uploads do not contain %j', character => {
  expect(VISIBLE_NAME.test(`books${character}.csv`)).toBe(false);
});

test('names may be in any script and have joined emoji', () => {
  for (const name of ['Größe.csv', 'ספרים.csv', '書籍.json', '👩‍👧.csv']) expect(VISIBLE_NAME.test(name)).toBe(true);
});
