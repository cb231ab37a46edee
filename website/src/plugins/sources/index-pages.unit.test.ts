import { listIndexes } from './index-pages';

test('every folder of pages without a page of its own has an index', () => {
  expect(listIndexes().map(({ path }) => path)).toEqual([
    '/docs/tech',
    '/docs/web-panel',
    '/docs/libs',
    '/docs/tutorials',
    '/docs/recipes',
    '/industries',
    '/legal',
  ]);
});

test.each(listIndexes().map(page => [page.path, page] as const))(
  'the index %s names each page with a description',
  (path, { links, text }) => {
    expect(text).not.toBe('');
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) {
      expect(link.to.startsWith(`${path}/`)).toBe(true);
      expect(link.label.length).toBeGreaterThan(2);
      expect(link.text.length).toBeGreaterThan(20);
    }
  },
);
