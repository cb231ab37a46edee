import { load } from 'cheerio';
import { Platform } from '../harness/platform.js';

jest.setTimeout(180_000);

let platform: Platform;
let pages: { route: string; $: ReturnType<typeof load> }[];

beforeAll(async () => {
  platform = await Platform.start();
  const sitemap = await read('/sitemap.xml');
  const addresses = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => new URL(String(address)));
  pages = await Promise.all(
    addresses.map(async ({ pathname }) => ({ route: pathname, $: load(await read(pathname)) })),
  );
});
afterAll(() => platform?.close());

const read = async (path: string): Promise<string> => (await fetch(platform.url + path)).text();
const wrong = (message: (page: (typeof pages)[number]) => string | undefined) =>
  pages.flatMap(page => {
    const said = message(page);
    return said ? [`${page.route}: ${said}`] : [];
  });
const dataOf = ($: ReturnType<typeof load>) =>
  $('script[type="application/ld+json"]')
    .toArray()
    .map(script => JSON.parse($(script).text()) as { '@type': string; itemListElement?: { item: string }[] });

test('every page says in its head which language it is in, and what to show where it is shared', async () => {
  expect(pages.length).toBeGreaterThan(20);
  expect(wrong(({ $ }) => ($('html').attr('lang') === 'en' ? undefined : 'another language'))).toEqual([]);
  const needed = ['og:title', 'og:description', 'og:url', 'og:image', 'og:type', 'og:site_name', 'twitter:card'];
  expect(
    wrong(({ $ }) => {
      const missing = needed.filter(name => !$(`meta[property="${name}"], meta[name="${name}"]`).attr('content'));
      return missing.join() || undefined;
    }),
  ).toEqual([]);
  expect(wrong(({ $ }) => ($('meta[name="keywords"]').attr('content') ? undefined : 'no keywords'))).toEqual([]);
});

test('the picture for sharing has a whole address, and is there', async () => {
  const addresses = new Set(
    pages.flatMap(({ $ }) =>
      [$('meta[property="og:image"]'), $('meta[name="twitter:image"]')].map(tag => tag.attr('content')),
    ),
  );
  for (const address of addresses) {
    const { pathname } = new URL(address as string);
    expect((await fetch(platform.url + pathname)).headers.get('content-type')).toBe('image/png');
  }
});

test('pages below another say where they stand, home and the FAQ what they are', () => {
  const types = ({ $ }: (typeof pages)[number]) => dataOf($).map(data => data['@type']);
  const below = /^\/(docs|services|industries)\/./;
  expect(
    wrong(page => (below.test(page.route) && !types(page).includes('BreadcrumbList') ? 'no breadcrumbs' : undefined)),
  ).toEqual([]);
  const typesAt = (route: string) => pages.filter(page => page.route === route).flatMap(types);
  expect(typesAt('/')).toEqual(expect.arrayContaining(['Organization', 'SoftwareApplication']));
  expect(typesAt('/faq')).toContain('FAQPage');
});

test('breadcrumbs lead to pages that are there, the last to the page itself', () => {
  const routes = new Set(pages.map(({ route }) => route));
  expect(
    wrong(({ route, $ }) => {
      const crumbs = dataOf($).flatMap(data => data.itemListElement ?? []);
      const ways = crumbs.map(({ item }) => new URL(item).pathname);
      const lost = ways.filter(way => !routes.has(way));
      if (lost.length > 0) return `leads to ${lost.join()}`;
      return ways.length > 0 && ways.at(-1) !== route ? `ends at ${ways.at(-1)}` : undefined;
    }),
  ).toEqual([]);
});

test('what is no page stays out of the sitemap and of search', async () => {
  expect(pages.map(({ route }) => route).filter(route => /404|\/_|\/search/.test(route))).toEqual([]);
  expect(load(await read('/no/such/page'))('meta[name="robots"]').attr('content')).toBe('noindex');
  const robots = await read('/robots.txt');
  expect(robots).toMatch(/^Sitemap: https?:\/\/.+\/sitemap\.xml$/m);
  for (const path of ['/panel/', '/joint-api/', '/apps/', '/www/', '/health/']) {
    expect(robots.split('\n')).toContain(`Disallow: ${path}`);
  }
});
