import { execFileSync } from 'node:child_process';
import { load } from 'cheerio/slim';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
/** Pages that have structured data of their own. */
const WITH_DATA = ['/', '/faq'];
let routes: string[];
let pages: { route: string; $: ReturnType<typeof load> }[];

beforeAll(async () => {
  const sitemap = await read('/sitemap.xml');
  routes = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => new URL(String(address)).pathname);
  // `npm test` reads a quarter of the pages, which the seed chooses.
  const isInSample = (route: string, index: number) => WITH_DATA.includes(route) || index % 4 === testSeed % 4;
  const sample = isFullTest ? routes : routes.filter(isInSample);
  pages = await Promise.all(sample.map(async route => ({ route, $: load(await read(route)) })));
});

const read = async (path: string): Promise<string> => (await fetch(platform.url + path)).text();
/** Lists the pages for which `check` returns a problem. */
const problems = (check: (page: (typeof pages)[number]) => string | undefined) =>
  pages.flatMap(page => {
    const problem = check(page);
    return problem ? [`${page.route}: ${problem}`] : [];
  });
const structuredData = ($: ReturnType<typeof load>) =>
  $('script[type="application/ld+json"]')
    .toArray()
    .map(script => JSON.parse($(script).text()) as { '@type': string; itemListElement?: { item: string }[] });

test('every page of the website declares its language and its data for link previews', async () => {
  expect(routes.length).toBeGreaterThan(60);
  expect(problems(({ $ }) => ($('html').attr('lang') === 'en' ? undefined : 'another language'))).toEqual([]);
  const needed = ['og:title', 'og:description', 'og:url', 'og:image', 'og:type', 'og:site_name', 'twitter:card'];
  expect(
    problems(({ $ }) => {
      const missing = needed.filter(name => !$(`meta[property="${name}"], meta[name="${name}"]`).attr('content'));
      return missing.join() || undefined;
    }),
  ).toEqual([]);
  expect(problems(({ $ }) => ($('meta[name="keywords"]').attr('content') ? undefined : 'no keywords'))).toEqual([]);
});

test('pages of the website name the platform’s own URL, and contain no placeholder of the build', async () => {
  const canonical = new Set(pages.map(({ $ }) => new URL(String($('link[rel=canonical]').attr('href'))).origin));
  expect([...canonical]).toEqual([`http://localhost:${new URL(platform.url).port}`]);
  expect(problems(({ $ }) => ($.html().includes('trawl.invalid') ? 'a placeholder' : undefined))).toEqual([]);
});

test('the image for link previews of the website has an absolute URL and exists', async () => {
  const addresses = new Set(
    pages.flatMap(({ $ }) =>
      [$('meta[property="og:image"]'), $('meta[name="twitter:image"]')].map(tag => tag.attr('content')),
    ),
  );
  for (const address of addresses) {
    const { pathname } = new URL(address as string);
    expect((await fetch(platform.url + pathname)).headers.get('content-type')).toBe('image/jpeg');
  }
});

test('nested pages of the website have breadcrumbs; the home page and FAQ have structured data', () => {
  const types = ({ $ }: (typeof pages)[number]) => structuredData($).map(data => data['@type']);
  const below = /^\/(docs|services|industries)\/./;
  expect(
    problems(page =>
      below.test(page.route) && !types(page).includes('BreadcrumbList') ? 'no breadcrumbs' : undefined,
    ),
  ).toEqual([]);
  const typesAt = (route: string) => pages.filter(page => page.route === route).flatMap(types);
  expect(typesAt('/')).toEqual(expect.arrayContaining(['Organization', 'SoftwareApplication']));
  expect(typesAt('/faq')).toContain('FAQPage');
});

test('breadcrumbs of the website link to existing pages, the last one to the page itself', () => {
  const existing = new Set(routes);
  expect(
    problems(({ route, $ }) => {
      const crumbs = structuredData($).flatMap(data => data.itemListElement ?? []);
      const paths = crumbs.map(({ item }) => new URL(item).pathname);
      const missing = paths.filter(path => !existing.has(path));
      if (missing.length > 0) return `leads to ${missing.join()}`;
      return paths.length > 0 && paths.at(-1) !== route ? `ends at ${paths.at(-1)}` : undefined;
    }),
  ).toEqual([]);
});

test('the sitemap and search engines get no missing pages, nor the panel and the API', async () => {
  expect(routes.filter(route => /404|\/_|\/search/.test(route))).toEqual([]);
  expect(load(await read('/no/such/page'))('meta[name="robots"]').attr('content')).toBe('noindex');
  const robots = await read('/robots.txt');
  expect(robots).toMatch(/^Sitemap: https?:\/\/.+\/sitemap\.xml$/m);
  for (const path of ['/panel/', '/joint-api/', '/apps/', '/www/', '/health/']) {
    expect(robots.split('\n')).toContain(`Disallow: ${path}`);
  }
});

test('the website serves the source code from which Trawl can be installed', async () => {
  const response = await fetch(`${platform.url}/source.tar.gz`);
  expect(response.status).toBe(200);
  const archive = Buffer.from(await response.arrayBuffer());
  const names = execFileSync('tar', ['-tz'], { input: archive, encoding: 'utf8', maxBuffer: 10_000_000 }).split('\n');
  expect(names).toEqual(
    expect.arrayContaining(
      ['package.json', 'package-lock.json', 'scripts/start.mjs', '.env.example'].map(name => `trawl/${name}`),
    ),
  );
  expect(names.filter(name => /(^|\/)(node_modules|dist|\.git|\.env|\.trawl)(\/|$)/.test(name))).toEqual([]);
});

test('the changelog of the website has a feed whose items lead to its sections', async () => {
  const feed = load(await read('/changelog.xml'), { xml: true });
  const page = load(await read('/changelog'));
  expect(page('link[type="application/rss+xml"]').attr('href')).toBe('/changelog.xml');
  const links = feed('item > link')
    .toArray()
    .map(link => new URL(feed(link).text()));
  expect(links.length).toBeGreaterThan(1);
  for (const { pathname, hash } of links)
    expect([pathname, page(`[id="${hash.slice(1)}"]`).length]).toEqual(['/changelog', 1]);
});
