import { chromiumForFile } from '../harness/browser/chromium.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { factsOf, type PageFacts, type PageVisit, visitAll, visitedRoutes } from './page-visit.js';
import { SPECIFIED_ROUTES } from './specified-routes.js';

// The full suite opens about 200 pages three times, with axe.
jest.setTimeout(isFullTest ? 2_400_000 : 600_000);

const platform = sharedPlatform();
const chromium = chromiumForFile();
let routes: string[];
let facts: PageFacts[];
let visits: PageVisit[];

beforeAll(async () => {
  const sitemap = await (await fetch(`${platform.url}/sitemap.xml`)).text();
  routes = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => new URL(String(address)).pathname);
  const all = [...new Set([...SPECIFIED_ROUTES, ...routes])];
  facts = await Promise.all(all.map(route => factsOf(platform.url, route)));
  visits = await visitAll(chromium.browser, platform.url, visitedRoutes(all));
});

/** Lists the pages for which `check` returns a problem. */
const problems = <Page extends { route: string }>(pages: Page[], check: (page: Page) => string | false) =>
  pages.flatMap(page => {
    const problem = check(page);
    return problem ? [`${page.route}: ${problem}`] : [];
  });

test('every specified route of the website exists and is in the sitemap', () => {
  expect(problems(facts, ({ status }) => status !== 200 && `status ${status}`)).toEqual([]);
  expect(SPECIFIED_ROUTES.filter(route => !routes.includes(route))).toEqual([]);
});

test('every page of the website has one h1, a unique title and description, and its canonical URL', () => {
  expect(problems(facts, ({ h1 }) => h1 !== 1 && `${h1} h1`)).toEqual([]);
  expect(
    problems(facts, ({ route, canonical }) => new URL(canonical).pathname !== route && `canonical ${canonical}`),
  ).toEqual([]);
  for (const field of ['title', 'description'] as const) {
    const values = facts.map(page => page[field]);
    expect(values.filter((value, index) => !value || values.indexOf(value) !== index)).toEqual([]);
  }
});

test('no page of the website logs an error or requests a missing resource', () => {
  expect(problems(visits, ({ errors }) => errors.length > 0 && errors.join('; '))).toEqual([]);
});

test('no page of the website scrolls sideways on a phone of 360 px', () => {
  expect(problems(visits, ({ sidewaysPx }) => sidewaysPx > 0 && `${sidewaysPx} px too wide`)).toEqual([]);
});

test('axe finds no accessibility problem on the website, in light and dark', () => {
  expect(problems(visits, ({ axe }) => axe.length > 0 && axe.join('\n  '))).toEqual([]);
});
