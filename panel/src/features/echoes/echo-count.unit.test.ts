import { echoCount } from './echo-count.js';

describe('the count below saved echoes', () => {
  it.each([
    [{ shown: 12, total: 12, isFiltered: false }, '12 echoes'],
    [{ shown: 1, total: 1, isFiltered: false }, '1 echo'],
    [{ shown: 0, total: 0, isFiltered: false }, '0 echoes'],
    [{ shown: 1, total: 12, isFiltered: true }, '1 shown of 12 echoes'],
    [{ shown: 0, total: 1, isFiltered: true }, '0 shown of 1 echo'],
  ])('does not mistake all echoes for matching ones: %j', (page, text) => {
    expect(echoCount(page)).toBe(text);
  });
});
