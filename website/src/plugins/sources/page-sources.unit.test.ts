import type { LoadContext } from '@docusaurus/types';
import { pageSources } from './page-sources';

const dependenciesOf = (experiments: object): string[] | undefined => {
  const context = { siteConfig: { url: 'https://trawl.example.com', customFields: {} } } as LoadContext;
  const configure = pageSources(context).configureWebpack as unknown as (config: object) => typeof configured;
  const configured: { experiments?: { cache: { buildDependencies: string[] } } } = {};
  return configure({ experiments }).experiments?.cache.buildDependencies;
};

test('invalidates the cache when a file that plugins read changes', () => {
  const paths = dependenciesOf({ cache: { version: '1' } });
  for (const path of ['openapi.yaml', 'api-examples.json', 'web-scraping/main.js', 'joint-api/index.mdx']) {
    expect(paths).toContainEqual(expect.stringMatching(new RegExp(`/${path}$`)));
  }
});

test('leaves a disabled cache alone', () => {
  expect(dependenciesOf({})).toBeUndefined();
});
