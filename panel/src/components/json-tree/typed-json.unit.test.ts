import { parseDocuments } from '../../features/storage/document-change.js';
import { filterProblem } from '../mongo-filter/conditions.js';
import { parseTyped } from './typed-json.js';

const LARGE = '12345678901234567890';

it('parseTyped returns the value of a typed JSON text, or a message about what is not valid', () => {
  expect(parseTyped(`{ "n": 9007199254740991, "text": "${LARGE}" }`)).toEqual({
    value: { n: 9007199254740991, text: LARGE },
  });
  expect(parseTyped('{n:1}')).toEqual({ problem: expect.stringMatching(/^Not valid JSON: /) });
});

it.each([
  ['a document', (text: string) => parseDocuments(text)],
  ['a filter', (text: string) => ({ problem: filterProblem(text) })],
])('typing a number into %s is refused if saving it would change its digits', (_what, read) => {
  expect(read(`{ "n": ${LARGE} }`)).toEqual({ problem: expect.stringMatching(`^${LARGE} is too large`) });
});
