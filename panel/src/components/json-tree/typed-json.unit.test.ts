import { parseDocuments } from '../../features/storage/document-change.js';
import { filterProblem } from '../mongo-filter/conditions.js';
import { parseTyped } from './typed-json.js';

const LARGE = '12345678901234567890';

it('takes the value of a typed JSON text, or tells what is wrong', () => {
  expect(parseTyped(`{ "n": 9007199254740991, "text": "${LARGE}" }`)).toEqual({
    value: { n: 9007199254740991, text: LARGE },
  });
  expect(parseTyped('{n:1}')).toEqual({ problem: expect.stringMatching(/^Not valid JSON: /) });
});

it.each([
  ['a document', (text: string) => parseDocuments(text)],
  ['a filter', (text: string) => ({ problem: filterProblem(text) })],
])('refuses in %s a number that would be saved with other digits', (_what, read) => {
  expect(read(`{ "n": ${LARGE} }`)).toEqual({ problem: expect.stringMatching(`^${LARGE} is too large`) });
});
