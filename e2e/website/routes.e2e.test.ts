import { chromiumForFile } from '../harness/browser/chromium.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { type PageVisit, visitAll } from './page-visit.js';
import { SPECIFIED_ROUTES } from './specified-routes.js';

jest.setTimeout(600_000);

const platform = sharedPlatform();
const chromium = chromiumForFile();
let routes: string[];
let visits: PageVisit[];

beforeAll(async () => {
  const sitemap = await (await fetch(`${platform.url}/sitemap.xml`)).text();
  routes = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => new URL(String(address)).pathname);
  visits = await visitAll(chromium.browser, platform.url, [...new Set([...SPECIFIED_ROUTES, ...routes])]);
});

/** Lists the pages for which `check` returns a problem. */
const problems = (check: (visit: PageVisit) => string | false) =>
  visits.flatMap(visit => {
    const problem = check(visit);
    return problem ? [`${visit.route}: ${problem}`] : [];
  });

test('every specified route exists and is in the sitemap', () => {
  expect(problems(({ status }) => status !== 200 && `status ${status}`)).toEqual([]);
  expect(SPECIFIED_ROUTES.filter(route => !routes.includes(route))).toEqual([]);
});

test('every page has one h1, a unique title and description, and its canonical address', () => {
  expect(problems(({ h1 }) => h1 !== 1 && `${h1} h1`)).toEqual([]);
  expect(problems(({ route, canonical }) => new URL(canonical).pathname !== route && `canonical ${canonical}`)).toEqual(
    [],
  );
  for (const field of ['title', 'description'] as const) {
    const values = visits.map(visit => visit[field]);
    expect(values.filter((value, index) => !value || values.indexOf(value) !== index)).toEqual([]);
  }
});

test('no page logs an error or requests a missing resource', () => {
  expect(problems(({ errors }) => errors.length > 0 && errors.join('; '))).toEqual([]);
});

test('no page scrolls sideways on a phone of 360 px', () => {
  expect(problems(({ sidewaysPx }) => sidewaysPx > 0 && `${sidewaysPx} px too wide`)).toEqual([]);
});

test('axe finds no accessibility problem, in light and dark', () => {
  expect(problems(({ axe }) => axe.length > 0 && axe.join('\n  '))).toEqual([]);
});
