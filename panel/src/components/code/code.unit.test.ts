import { SearchQuery, search, setSearchQuery } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { changeBetween, formatJson } from './format-json.js';
import { jsonProblem } from './json-problems.js';
import { matchWords } from './search-panel.js';

it.each([
  ['{ "pages": }', 1, 12, /value is missing/],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /comma is missing/],
  ['{ "a": 1, }', 1, 11, /remove the comma/],
  ["{ 'a': 1 }", 1, 3, /double quotes/],
  ['{ "a": zz }', 1, 8, /^`zz` is not valid JSON\. Put text in double quotes\.$/],
  ['[1, 2', 1, 6, /closing \]/],
  ['{ "a" 1 }', 1, 7, /colon is missing/],
  ['"a\nb"', 1, 1, /double quote|line break/],
  ['1 // one', 1, 3, /comments/],
  ['{} {}', 1, 4, /ends before/],
])('jsonProblem reports the first problem of %j with line and column', (text, line, column, message) => {
  expect(jsonProblem(text)).toMatchObject({ line, column, message: expect.stringMatching(message) });
});

it('jsonProblem reports nothing for valid JSON and for blank text', () => {
  expect(['', ' \n', '{ "a": [1.5e3, "\\u00e9", null] }', '"a"'].map(jsonProblem)).toEqual([null, null, null, null]);
});

it('formatJson changes only the spaces of a JSON text, not its values', () => {
  expect(formatJson('{"id":12345678901234567890,"a":[1]}')).toBe(
    '{\n  "id": 12345678901234567890,\n  "a": [\n    1\n  ]\n}',
  );
});

it.each([
  ['abc', 'abxc', { from: 2, to: 2, insert: 'x' }],
  ['aaa', 'aa', { from: 2, to: 3, insert: '' }],
  ['a  b', 'a b', { from: 2, to: 3, insert: '' }],
  ['abc', 'abc', null],
])('changeBetween describes the smallest edit from %j to %j', (before, after, change) => {
  expect(changeBetween(before, after)).toEqual(change);
});

it.each([
  [{ search: 'net' }, 3, '1 of 3'],
  [{ search: 'net' }, 0, '3 matches'],
  [{ search: 'rope' }, 0, '1 match'],
  [{ search: 'fish' }, 0, 'No matches'],
  [{ search: '(', regexp: true }, 0, 'Not a regular expression'],
  [{ search: '' }, 0, ''],
])('the search of the code editor says how many matches %j has', (query, selected, words) => {
  const state = EditorState.create({
    doc: 'net, net, rope, net',
    selection: { anchor: 0, head: selected },
    extensions: search(),
  });
  expect(matchWords(state.update({ effects: setSearchQuery.of(new SearchQuery(query)) }).state)).toBe(words);
});
