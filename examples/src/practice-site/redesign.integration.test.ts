import { type CheerioAPI, load } from 'cheerio';
import { catalogue } from './catalogue/catalogue.js';
import { PRACTICE_ACCOUNT } from './pages/members.page.js';
import { type PracticeSite, startPracticeSite } from './practice-site.js';
import { priceText } from './rendering/formats.js';
import { arrivals } from './routes/machine.routes.js';

const shop = catalogue();
let site: PracticeSite;
let redesigned: PracticeSite;

beforeAll(async () => {
  site = await startPracticeSite({ host: '127.0.0.1', port: 0 });
  redesigned = await startPracticeSite({ host: '127.0.0.1', port: 0, layout: '2' });
});
afterAll(() => Promise.all([site.close(), redesigned.close()]));

async function text(path: string, from = site): Promise<string> {
  const answer = await fetch(new URL(path, from.url));
  expect({ path, status: answer.status }).toEqual({ path, status: 200 });
  return answer.text();
}

const open = async (path: string, from = site): Promise<CheerioAPI> => load(await text(path, from));

/** Opens all pages of a listing, by its `rel=next` links. */
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

const [category] = shop.categories;
const inCategory = shop.products.filter(product => product.category === category?.slug);
const reviewed = [...shop.products].sort((a, b) => b.reviewCount - a.reviewCount)[0];

describe('the redesign', () => {
  it('shows the same goods, with their prices in other elements', async () => {
    const pages = await openAll(`/categories/${category?.slug}?layout=2`);
    const tiles = pages.flatMap($ =>
      $('.tile')
        .map((_, tile) => ({
          sku: $(tile).attr('data-sku'),
          title: $(tile).find('a').text(),
          price: $(tile).find('.amount').text() || null,
          was: $(tile).find('.amount-before').text() || null,
          stock: $(tile).find('.availability').attr('data-state') ?? null,
          gtin: $(tile).find('.ean').text() || null,
          released: $(tile).find('time').attr('datetime') ?? null,
        }))
        .get(),
    );
    expect(tiles).toEqual(
      inCategory.map(({ sku, title, price, was, stock, gtin, released }) => ({
        sku,
        title,
        price: price && priceText(price),
        was: was && priceText(was),
        stock: stock?.state ?? null,
        gtin,
        released,
      })),
    );
  });

  it('has none of the classes by which scrapers of the first layout find goods and prices', async () => {
    const paths = ['/catalogue', `/products/${reviewed?.slug}`, `/products/${reviewed?.slug}/reviews`, '/js/'];
    for (const path of paths) {
      const classes = ($: CheerioAPI) =>
        new Set(
          $('main [class]')
            .get()
            .map(element => $(element).attr('class')),
        );
      const first = classes(await open(path));
      const second = classes(await open(`${path}?layout=2`));
      const shared = [...second].filter(name => first.has(name));
      expect({ path, shared }).toEqual({
        path,
        shared: path === '/js/' ? [] : shared.filter(name => name === 'pager'),
      });
    }
  });

  it('has the details and the reviews of a product', async () => {
    const $ = await open(`/products/${reviewed?.slug}?layout=2`);
    expect($('h1').text()).toBe(reviewed?.title);
    expect(JSON.parse($('script[type="application/ld+json"]').text()).sku).toBe(reviewed?.sku);
    expect($('.about').text()).toBe(reviewed?.description);
    const pages = await openAll($('.opinions-link').attr('href') ?? '');
    const ids = pages.flatMap(page =>
      page('.opinion')
        .map((_, opinion) => page(opinion).attr('id'))
        .get(),
    );
    expect(ids).toEqual(shop.reviews.filter(({ sku }) => sku === reviewed?.sku).map(({ id }) => id));
  });

  it('is kept by all links, forms and scripts, and by the JSON of the arrivals', async () => {
    const home = await open('/?layout=2');
    const toVisit = [
      '/?layout=2',
      '/catalogue?layout=2',
      `/products/${reviewed?.slug}?layout=2`,
      '/js/?layout=2',
      '/login?layout=2',
    ];
    for (const path of toVisit) {
      const $ = await open(path);
      const links = $('[href^="/"], [src^="/"], [action^="/"], [data-source^="/"]')
        .get()
        .map(({ attribs }) => attribs);
      const lost = links.filter(({ href, src, action, 'data-source': source }) =>
        [href, src, action, source].some(link => link?.startsWith('/') && !link.includes('layout=2')),
      );
      expect({ path, links: links.length > 5, lost }).toEqual({ path, links: true, lost: [] });
    }
    expect(home('body').attr('class')).toBe('v2');
    expect(await text('/assets/arrivals.js?layout=2')).toContain("'tile'");
    const skus: string[] = [];
    for (let source: string | null = '/js/arrivals.json?layout=2'; source; ) {
      const { items, next } = JSON.parse(await text(source)) as {
        items: { sku: string; path: string }[];
        next: string;
      };
      expect(items.every(item => item.path.endsWith('?layout=2'))).toBe(true);
      skus.push(...items.map(({ sku }) => sku));
      source = next;
    }
    expect(skus).toEqual(arrivals(shop).map(({ sku }) => sku));
  });

  it('is kept through login and logout', async () => {
    const form = await fetch(new URL('/login?layout=2', site.url));
    const csrf = String(load(await form.text())('input[name=csrf]').val());
    const login = await fetch(new URL('/login?layout=2', site.url), {
      method: 'POST',
      headers: { cookie: form.headers.getSetCookie()[0]?.split(';')[0] ?? '' },
      body: new URLSearchParams({ csrf, ...PRACTICE_ACCOUNT }),
      redirect: 'manual',
    });
    expect(login.headers.get('location')).toBe('/members?layout=2');
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const $ = load(await (await fetch(new URL('/members?layout=2', site.url), { headers: { cookie } })).text());
    const skus = $('.trade li')
      .map((_, item) => $(item).attr('data-sku'))
      .get();
    expect(skus).toEqual(shop.memberOffers.map(({ sku }) => sku));
    expect($('form').attr('action')).toBe('/logout?layout=2');
  });

  it('is on all pages of a shop that is started with it, without `layout` in links', async () => {
    const $ = await open('/catalogue?page=7', redesigned);
    expect($('.tile')).toHaveLength(20);
    expect(await text('/catalogue?page=7', redesigned)).not.toContain('layout=');
    expect(await text('/catalogue?page=7&layout=1', redesigned)).toContain('class="product"');
    expect(await text('/catalogue?page=7')).not.toContain('layout=');
  });
});

it.each(['/?layout=3', '/?layout=', '/?layout=1&layout=2', '/catalogue?layout=%3Cscript%3E', '/?layout=toString'])(
  '%s is a bad request',
  async path => {
    const answer = await fetch(new URL(path, site.url));
    expect(answer.status).toBe(400);
    expect(load(await answer.text())('.message').text()).toBe('“layout” must be 1 or 2.');
  },
);
