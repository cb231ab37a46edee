import { type CheerioAPI, load } from 'cheerio';
import { catalogue } from './catalogue/catalogue.js';
import { PRACTICE_ACCOUNT } from './pages/members.page.js';
import { type PracticeSite, startPracticeSite } from './practice-site.js';
import { arrivals } from './routes/machine.routes.js';

const shop = catalogue();
let site: PracticeSite;

beforeAll(async () => {
  site = await startPracticeSite({ host: '127.0.0.1', port: 0 });
});
afterAll(() => site.close());

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(new URL(path, site.url), { headers, redirect: 'manual' });
}

async function open(path: string): Promise<CheerioAPI> {
  const answer = await get(path);
  expect({ path, status: answer.status }).toEqual({ path, status: 200 });
  return load(await answer.text());
}

/** Opens the first page of a listing, and then all further pages by their `rel=next` links. */
async function openAll(first: string): Promise<CheerioAPI[]> {
  const pages: CheerioAPI[] = [];
  for (let path: string | undefined = first; path; ) {
    const $ = await open(path);
    pages.push($);
    path = $('link[rel=next]').attr('href');
    expect($('a[rel=next]').attr('href')).toBe(path);
  }
  return pages;
}

function skusOn(pages: readonly CheerioAPI[]): (string | undefined)[] {
  return pages.flatMap($ =>
    $('article.product')
      .map((_, card) => $(card).attr('data-sku'))
      .get(),
  );
}

/** `npm test` looks at one of `size`, which the seed chooses. */
const sampleOf = <Item>(items: readonly Item[], size: number): Item[] =>
  items.filter((_, index) => isFullTest || index % size === testSeed % size);

test('the shop leaves it to the client to close an idle connection', async () => {
  const answer = await get('/');
  // Node's server names the time after which it closes the connection.
  expect([answer.headers.get('connection'), answer.headers.get('keep-alive')]).toEqual(['keep-alive', null]);
});

describe('listings', () => {
  let pages: CheerioAPI[];

  beforeAll(async () => {
    pages = await openAll('/catalogue');
  });

  test('lists all products in order on 50 pages of 20', async () => {
    expect(pages.map($ => $('article.product').length)).toEqual(Array(50).fill(20));
    expect(skusOn(pages)).toEqual(shop.products.map(({ sku }) => sku));
    expect(pages[6]?.('.result-count').text()).toBe('1,000 products, page 7 of 50');
  });

  test('lists only its own products in each category', async () => {
    for (const { slug } of sampleOf(shop.categories, shop.categories.length)) {
      const expected = shop.products.filter(({ category }) => category === slug).map(({ sku }) => sku);
      expect(skusOn(await openAll(`/categories/${slug}`))).toEqual(expected);
    }
  });

  test('omits missing values from the card', () => {
    const count = (selector: string): number =>
      pages.reduce((total, $) => total + $(`article.product ${selector}`).length, 0);
    const known = (field: keyof (typeof shop.products)[number]): number =>
      shop.products.filter(product => product[field] !== null).length;
    expect(count('ins.price')).toBe(known('price'));
    expect(count('.price-was')).toBe(known('was'));
    expect(count('.maker-name')).toBe(known('maker'));
    expect(count('.stock')).toBe(known('stock'));
    expect(count('.gtin')).toBe(known('gtin'));
    expect(count('.released')).toBe(known('released'));
    expect(count('.stars')).toBe(known('rating'));
    expect(count('time.released[datetime]')).toBeLessThan(known('released'));
  });
});

describe('details and reviews', () => {
  test('has correct JSON-LD on product pages', async () => {
    for (const product of sampleOf(shop.products, 20)) {
      const $ = await open(`/products/${product.slug}`);
      const data = JSON.parse($('script[type="application/ld+json"]').text());
      expect($('h1').text()).toBe(product.title);
      expect(data).toMatchObject({ sku: product.sku, name: product.title, description: product.description });
      expect(data.gtin13 ?? null).toBe(product.gtin);
      expect(data.offers?.price ?? null).toBe(product.price?.amount.toFixed(2) ?? null);
      expect(data.aggregateRating?.ratingValue ?? null).toBe(product.rating);
      expect($('.breadcrumbs li').last().text()).toBe(product.title);
    }
  });

  test('lists all reviews on pages of five', async () => {
    const [product] = [...shop.products].sort((a, b) => b.reviewCount - a.reviewCount);
    const pages = await openAll(`/products/${product?.slug}/reviews`);
    expect(pages.map($ => $('article.review').length)).toEqual([5, 5, 4]);
    const shown = pages.flatMap($ =>
      $('article.review')
        .map((_, review) => ({
          id: $(review).attr('id'),
          author: $(review).find('.review-author').text(),
          text: $(review).find('.review-text').text(),
          writtenOn: $(review).find('time').attr('datetime'),
        }))
        .get(),
    );
    const written = shop.reviews.filter(({ sku }) => sku === product?.sku);
    expect(shown).toEqual(written.map(({ id, author, text, writtenOn }) => ({ id, author, text, writtenOn })));
  });

  test('has a page for a product without reviews', async () => {
    const unrated = shop.products.find(({ reviewCount }) => reviewCount === 0);
    const $ = await open(`/products/${unrated?.slug}/reviews`);
    expect($('.empty').text()).toBe('Nobody has written one yet.');
  });
});

describe('behind JavaScript', () => {
  test('has the arrivals only in the JSON that the script loads', async () => {
    const $ = await open('/js/');
    expect($('article.product')).toHaveLength(0);
    expect((await get($('script[src]').attr('src') ?? '')).headers.get('content-type')).toMatch(/javascript/);
    const skus: string[] = [];
    for (let source = $('#arrivals').attr('data-source'); source; ) {
      const answer = (await (await get(source)).json()) as { items: { sku: string }[]; next: string };
      skus.push(...answer.items.map(({ sku }) => sku));
      source = answer.next;
    }
    expect(skus).toEqual(arrivals(shop).map(({ sku }) => sku));
  });
});

describe('members', () => {
  const cookieOf = (answer: Response): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

  async function openForm(): Promise<{ cookie: string; csrf: string }> {
    const answer = await get('/login');
    const csrf = load(await answer.text())('input[name=csrf]').val();
    return { cookie: cookieOf(answer), csrf: String(csrf) };
  }

  function submit(path: string, cookie: string, fields: Record<string, string>): Promise<Response> {
    return fetch(new URL(path, site.url), {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
  }

  test('shows the members’ page only after login', async () => {
    expect((await get('/members')).headers.get('location')).toBe('/login');
    const { cookie, csrf } = await openForm();
    const login = await submit('/login', cookie, { csrf, ...PRACTICE_ACCOUNT });
    expect({ status: login.status, to: login.headers.get('location') }).toEqual({ status: 303, to: '/members' });
    const page = await get('/members', { cookie: cookieOf(login) });
    const $ = load(await page.text());
    const skus = $('table.offers tbody tr')
      .map((_, row) => $(row).attr('data-sku'))
      .get();
    expect(skus).toEqual(shop.memberOffers.map(({ sku }) => sku));
  });

  test('replaces the session at login', async () => {
    const { cookie, csrf } = await openForm();
    const login = await submit('/login', cookie, { csrf, ...PRACTICE_ACCOUNT });
    expect(cookieOf(login)).not.toBe(cookie);
    expect((await get('/members', { cookie })).status).toBe(303);
  });

  test('rejects a form without the csrf field of the session', async () => {
    const { cookie } = await openForm();
    const other = await openForm();
    expect((await submit('/login', cookie, { csrf: other.csrf, ...PRACTICE_ACCOUNT })).status).toBe(403);
    expect((await submit('/login', cookie, { ...PRACTICE_ACCOUNT })).status).toBe(403);
    expect((await submit('/login', '', { csrf: other.csrf, ...PRACTICE_ACCOUNT })).status).toBe(403);
  });

  test('rejects a wrong password', async () => {
    const { cookie, csrf } = await openForm();
    const answer = await submit('/login', cookie, { csrf, username: PRACTICE_ACCOUNT.username, password: 'guess' });
    expect(answer.status).toBe(401);
    expect(load(await answer.text())('[role=alert]').text()).toMatch(/Wrong username or password/);
  });

  test('ends the session on logout', async () => {
    const { cookie, csrf } = await openForm();
    const member = cookieOf(await submit('/login', cookie, { csrf, ...PRACTICE_ACCOUNT }));
    const $ = load(await (await get('/members', { cookie: member })).text());
    const out = await submit('/logout', member, { csrf: String($('input[name=csrf]').val()) });
    expect(out.headers.get('location')).toBe('/');
    expect((await get('/members', { cookie: member })).status).toBe(303);
  });
});

describe('trouble on purpose', () => {
  const statusOf = async (path: string): Promise<number> => (await get(path)).status;

  test('fails a flaky page the requested number of times per key', async () => {
    const path = '/flaky?key=a&times=2';
    expect([await statusOf(path), await statusOf(path), await statusOf(path), await statusOf(path)]).toEqual([
      503, 503, 200, 200,
    ]);
    expect(await statusOf('/flaky?key=b&times=1')).toBe(503);
  });

  test('fails one product page in four once per key in rough weather', async () => {
    const tries = async (key: string): Promise<number[]> =>
      Promise.all(shop.products.slice(0, 8).map(({ slug }) => statusOf(`/products/${slug}?rough=${key}`)));
    const rough = [200, 200, 200, 503, 200, 200, 200, 503];
    expect(await tries('one')).toEqual(rough);
    expect(await tries('one')).toEqual(Array(8).fill(200));
    expect(await tries('two')).toEqual(rough);
  });

  test('fails with the requested status', async () => {
    expect(await statusOf('/fail')).toBe(500);
    expect(await statusOf('/fail?status=429')).toBe(429);
  });

  test('delays a slow page', async () => {
    expect(load(await (await get('/slow?ms=20')).text())('.message').text()).toBe('This page took 20 ms on purpose.');
  });

  test.each([
    '/fail?status=200',
    '/fail?status=x',
    '/slow?ms=-1',
    '/flaky',
    '/flaky?key=a&times=99',
    '/products/x?rough=',
  ])('%s is a bad request', async path => {
    expect(await statusOf(path)).toBe(400);
  });

  test.each([
    '/nothing',
    '/catalogue?page=51',
    '/catalogue?page=0',
    '/catalogue?page=x',
    '/catalogue?page=1&page=2',
    '/categories/none',
    '/products/none',
    '/products/none/reviews',
    '/js/arrivals.json?page=9',
  ])('%s is not found', async path => {
    expect(await statusOf(path)).toBe(404);
  });

  test('neither reflects input as markup nor fails on it', async () => {
    const hostile = encodeURIComponent('<script>alert(1)</script>');
    for (const path of [
      `/${hostile}`,
      `/categories/${hostile}`,
      `/catalogue?page=${hostile}`,
      '/categories/%E0%A4%A',
      `/flaky?key=${hostile}`,
    ]) {
      const answer = await get(path, { cookie: 'practice_session=%' });
      expect({ path, below500: answer.status < 500 || answer.status === 503 }).toEqual({ path, below500: true });
      expect(await answer.text()).not.toContain('<script>alert');
    }
  });

  test('rejects an oversized form', async () => {
    const body = new URLSearchParams({ username: 'x'.repeat(10_000) });
    expect((await fetch(new URL('/login', site.url), { method: 'POST', body })).status).toBe(413);
  });
});

describe('for machines', () => {
  test('links the sitemap in robots.txt, and every product in the sitemap', async () => {
    const robots = await (await get('/robots.txt')).text();
    const sitemap = /^Sitemap: (.+)$/m.exec(robots)?.[1] ?? '';
    expect(sitemap).toBe(`${site.url}/sitemap.xml`);
    const $ = load(await (await get(sitemap)).text(), { xml: true });
    const addresses = $('loc')
      .map((_, loc) => $(loc).text())
      .get();
    expect(addresses).toEqual(expect.arrayContaining(shop.products.map(({ slug }) => `${site.url}/products/${slug}`)));
    expect(addresses).toHaveLength(1000 + shop.categories.length + 3);
  });

  test('forbids inline scripts and content sniffing', async () => {
    const { headers } = await get('/');
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
  });
});

test('closes with a slow page open, and shows the same pages on every site', async () => {
  const other = await startPracticeSite({ host: '127.0.0.1', port: 0 });
  const page = async (url: string): Promise<string> => (await fetch(`${url}/catalogue?page=17`)).text();
  expect(await page(other.url)).toBe(await page(site.url));
  const slow = fetch(`${other.url}/slow?ms=10000`);
  const broken = expect(slow).rejects.toThrow();
  await fetch(`${other.url}/robots.txt`);
  await other.close();
  await broken;
  await expect(fetch(other.url)).rejects.toThrow();
});
