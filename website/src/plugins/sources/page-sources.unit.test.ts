import type { LoadContext } from '@docusaurus/types';
import { pageSources } from './page-sources';

interface Cache {
  version: string;
  buildDependencies: string[];
}

function cacheWith(experiments: object, url = 'https://trawl.example.com'): Cache | undefined {
  const context = { siteConfig: { url, customFields: {} } } as LoadContext;
  const configure = pageSources(context).configureWebpack as unknown as (config: object) => typeof configured;
  const configured: { experiments?: { cache: Cache } } = {};
  return configure({ experiments }).experiments?.cache;
}

test('the website’s build cache depends on the files that plugins read, such as openapi.yaml', () => {
  const paths = cacheWith({ cache: { version: '1' } })?.buildDependencies;
  for (const path of ['openapi.yaml', 'api-examples.json', 'web-scraping/main.js', 'joint-api/index.mdx']) {
    expect(paths).toContainEqual(expect.stringMatching(new RegExp(`/${path}$`)));
  }
});

test('the website build has a separate cache for each site URL and each Docusaurus version', () => {
  const versions = [
    cacheWith({ cache: { version: '1' } }),
    cacheWith({ cache: { version: '2' } }),
    cacheWith({ cache: { version: '1' } }, 'https://other.example.com'),
  ].map(cache => cache?.version);
  expect(new Set(versions).size).toBe(3);
  expect(cacheWith({ cache: { version: '1' } })?.version).toBe(versions[0]);
});

test('the website build does not enable a build cache that is disabled', () => {
  expect(cacheWith({})).toBeUndefined();
});
