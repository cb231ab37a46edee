import { echoCount } from './echo-count.js';

it.each([
  [{ seqs: { first: 1, last: 1 }, total: 1, matching: null, isCapped: false }, '1–1 of 1 echo'],
  [
    { seqs: { first: 59_801, last: 60_000 }, total: 60_000, matching: null, isCapped: false },
    '59,801–60,000 of 60,000 echoes',
  ],
  [{ seqs: null, total: 0, matching: null, isCapped: false }, '0 echoes'],
  [{ seqs: { first: 4, last: 4 }, total: 60_000, matching: 1, isCapped: false }, '1 match in 60,000 echoes'],
  [{ seqs: { first: 4, last: 900 }, total: 60_000, matching: 1200, isCapped: true }, '1,200+ matches in 60,000 echoes'],
])('the number of echoes on a page %j is shown as %j', (page, text) => {
  expect(echoCount(page)).toBe(text);
});
