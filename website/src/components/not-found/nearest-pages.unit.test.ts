import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nearestPages } from './nearest-pages';

const DOCS = join(__dirname, '../../../docs');
const routes = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.mdx'))
  .map(name => `/docs/${name.replace(/(\/?index)?\.mdx$/, '')}`);
const pages = [...routes, '/', '/pricing', '/services/web-scraping', '/services/price-monitoring', '/contact'].map(
  to => ({
    to,
    title: to,
  }),
);

test.each([
  ['/price', '/pricing'],
  ['/docs/workers', '/docs/tech/workers'],
  ['/docs/scheduler', '/docs/web-panel/scheduler'],
  ['/services/webscraping', '/services/web-scraping'],
  ['/docs/libs/playwrite', '/docs/libs/playwright'],
  ['/docs/tech/skript-execution.html', '/docs/tech/skript-execution'],
  ['/docs/tutorial/develop-a-skript', '/docs/tutorials/develop-skript'],
])('the 404 page for %s suggests %s first', (path, page) => {
  expect(nearestPages(path, pages)[0]?.to).toBe(page);
});

test.each(['/wp-admin/xyzzy', '/%E0%A4%A', '/q'])('the 404 page for %s suggests nothing', path => {
  expect(nearestPages(path, pages)).toEqual([]);
});
