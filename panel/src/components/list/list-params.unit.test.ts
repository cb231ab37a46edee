import { nextSort, pageCount } from './list-params.js';

describe('lists of the panel', () => {
  it('sort a column ascending, then descending', () => {
    expect(nextSort('-created_at', 'title')).toBe('title');
    expect(nextSort('title', 'title')).toBe('-title');
    expect(nextSort('-title', 'title')).toBe('title');
  });

  it('offer no page beyond the API’s skip limit of 10,000', () => {
    expect(pageCount(0, 25)).toBe(1);
    expect(pageCount(51, 25)).toBe(3);
    expect(pageCount(1_000_000, 100)).toBe(101);
  });
});
