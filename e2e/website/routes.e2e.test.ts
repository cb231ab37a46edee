import { startProduct } from '../harness/product.js';
import { type PageVisit, visitAll } from './page-visit.js';
import { SPECIFIED_ROUTES } from './specified-routes.js';

jest.setTimeout(600_000);

const product = startProduct();
let routes: string[];
let visits: PageVisit[];

beforeAll(async () => {
  const sitemap = await (await fetch(`${product.platform.url}/sitemap.xml`)).text();
  routes = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => new URL(String(address)).pathname);
  visits = await visitAll(product.browser, product.platform.url, [...new Set([...SPECIFIED_ROUTES, ...routes])]);
});

const wrong = (message: (visit: PageVisit) => string | false) =>
  visits.flatMap(visit => {
    const said = message(visit);
    return said ? [`${visit.route}: ${said}`] : [];
  });

test('every specified route is there and in the sitemap', () => {
  expect(wrong(({ status }) => status !== 200 && `status ${status}`)).toEqual([]);
  expect(SPECIFIED_ROUTES.filter(route => !routes.includes(route))).toEqual([]);
});

test('every page has one h1, and a title, description and canonical address of its own', () => {
  expect(wrong(({ h1 }) => h1 !== 1 && `${h1} h1`)).toEqual([]);
  expect(wrong(({ route, canonical }) => new URL(canonical).pathname !== route && `canonical ${canonical}`)).toEqual(
    [],
  );
  for (const field of ['title', 'description'] as const) {
    const values = visits.map(visit => visit[field]);
    expect(values.filter((value, index) => !value || values.indexOf(value) !== index)).toEqual([]);
  }
});

test('no page says anything on the console, and each gets all that it asks for', () => {
  expect(wrong(({ errors }) => errors.length > 0 && errors.join('; '))).toEqual([]);
});

test('no page scrolls sideways on a phone of 360 px', () => {
  expect(wrong(({ sidewaysPx }) => sidewaysPx > 0 && `${sidewaysPx} px too wide`)).toEqual([]);
});

test('axe finds nothing on any page, in light and dark', () => {
  expect(wrong(({ axe }) => axe.length > 0 && axe.join('\n  '))).toEqual([]);
});
