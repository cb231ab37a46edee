import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { arrivals, catalogue, type PracticeSite, startPracticeSite } from '../index.js';
import { type FakeCollections, provideCollections } from './collections.fake.js';

interface EchoMessage {
  type: string;
  msg: string;
}
type Row = Record<string, unknown>;
type Skript = (input?: unknown, inputSecret?: unknown) => Promise<Row>;

const home = join(__dirname, '../../skripts');
const shop = catalogue();
const day = (text: string | null): Date | null => (text === null ? null : new Date(text));
const bySku = (rows: Row[]): Row[] => [...rows].sort((a, b) => String(a.sku).localeCompare(String(b.sku)));
/** Removes from each row the time at which it was scraped, and checks that each row has it. */
const timeless = (rows: Row[]): Row[] =>
  rows.map(({ scraped_at, ...row }) => {
    expect(scraped_at).toBeInstanceOf(Date);
    return row;
  });

let site: PracticeSite;
let database: FakeCollections;
let echoes: EchoMessage[];

beforeAll(async () => {
  site = await startPracticeSite({ host: '127.0.0.1', port: 0 });
});
afterAll(() => site.close());

beforeEach(() => {
  database = provideCollections();
  echoes = [];
  const eventEmitter = new EventEmitter().on('echo', message => echoes.push(message));
  Object.assign(globalThis, { trawl: { eventEmitter, execution_id: 'a-run', skript: {}, worker: {} } });
});
afterEach(() => {
  database.remove();
  Reflect.deleteProperty(globalThis, 'trawl');
});

function skript(folder: string): Skript {
  return require(join(home, folder, 'main.js'));
}

/** Reads the input of a sample, and replaces the practice site's URL with that of this test's practice site. */
function inputOf(folder: string, name: string): Row {
  const input = JSON.parse(readFileSync(join(home, folder, name), 'utf8'));
  return 'base_url' in input ? { ...input, base_url: site.url } : input;
}

const echoed = (type: string): string[] => echoes.filter(echo => echo.type === type).map(({ msg }) => msg);

describe('shop-catalogue', () => {
  const expected = shop.products.map(product => ({
    sku: product.sku,
    title: product.title,
    category: product.category,
    maker: product.maker,
    price: product.price?.amount ?? null,
    currency: product.price?.currency ?? null,
    price_before: product.was?.amount ?? null,
    rating: product.rating,
    reviews: product.reviewCount,
    stock: product.stock?.state ?? null,
    stock_count: product.stock?.count ?? null,
    gtin: product.gtin,
    released: day(product.released),
    url: expect.stringMatching(new RegExp(`/products/${product.slug}$`)),
  }));
  const missing = (field: 'maker' | 'price' | 'stock' | 'gtin' | 'released'): number =>
    shop.products.filter(product => product[field] === null).length;

  test('stores every product correctly with its progress; a run of max_pages keeps the same 1,000 rows', async () => {
    const run = skript('shop-catalogue');
    const input = inputOf('shop-catalogue', 'inputCatalogue.json');
    const counts = { maker: missing('maker'), price: missing('price'), stock: missing('stock') };
    const gaps = { ...counts, gtin: missing('gtin'), released: missing('released') };
    expect(await run(input)).toEqual({ pages: 50, products: 1000, added: 1000, updated: 0, missing: gaps });
    expect(timeless(bySku(database.documentsOf('products')))).toEqual(expected);

    expect(echoed('log')).toEqual([
      '50 pages in the catalogue, reading 50 of them, 4 at a time',
      ...[10, 20, 30, 40, 50].map(pages => expect.stringMatching(`^${pages} of 50 pages, `)),
    ]);
    expect(echoed('objekt').map(text => JSON.parse(text).sku)).toEqual(['MM-0001']);
    expect(echoed('warn')).toHaveLength(1);
    for (const field of ['maker', 'price', 'stock', 'gtin', 'released'] as const) {
      expect(echoed('warn')[0]).toContain(`${field} (${missing(field)})`);
    }

    const again = await run({ ...input, max_pages: 3 });
    expect(again).toMatchObject({ pages: 3, products: 60, added: 0, updated: 60 });
    expect(timeless(bySku(database.documentsOf('products')))).toEqual(expected);
  });
});

describe('details-and-reviews', () => {
  const inCategory = shop.products.filter(({ category }) => category === 'navigation');
  const skus = new Set(inCategory.map(({ sku }) => sku));
  const reviews = shop.reviews.filter(({ sku }) => skus.has(sku));

  test('stores details and reviews although one page in four fails first', async () => {
    const failing = inCategory.filter(({ sku }) => Number(sku.slice(3)) % 4 === 0).length;
    const output = await skript('details-and-reviews')(inputOf('details-and-reviews', 'inputDetails.json'));
    expect(output).toEqual({ products: inCategory.length, reviews: reviews.length, retries: failing });
    expect(echoed('warn')).toHaveLength(failing);
    expect(echoed('log').map(text => text.split(',')[0])).toEqual([
      '95 products in navigation',
      '25 of 95 products',
      '50 of 95 products',
      '75 of 95 products',
    ]);

    const categoryName = shop.categories.find(({ slug }) => slug === 'navigation')?.name;
    expect(timeless(bySku(database.documentsOf('product_details')))).toEqual(
      inCategory.map(product => ({
        sku: product.sku,
        url: `${site.url}/products/${product.slug}`,
        title: product.title,
        description: product.description,
        breadcrumbs: ['Home', 'Catalogue', categoryName],
        price: product.price?.amount ?? null,
        currency: product.price?.currency ?? null,
        weight_g: product.weightGrams,
        specs: expect.objectContaining({ 'Article number': product.sku, ...Object.fromEntries(product.details) }),
      })),
    );
    const stored = database
      .documentsOf('reviews')
      .sort((a, b) => String(a.review_id).localeCompare(String(b.review_id)));
    expect(stored).toEqual(
      reviews.map(({ id, writtenOn, ...review }) => ({ review_id: id, written_on: day(writtenOn), ...review })),
    );
  });

  test('fails if a page keeps failing', async () => {
    const input = { base_url: site.url, category: 'no-such-shelf' };
    await expect(skript('details-and-reviews')(input)).rejects.toThrow('404');
    expect(echoed('warn')).toEqual([]);
  });
});

describe('members-only', () => {
  test('logs in with the secret and stores the members’ prices without echoing the secret', async () => {
    const secret = inputOf('members-only', 'inputSecretMember.json');
    const output = await skript('members-only')(inputOf('members-only', 'inputMembers.json'), secret);
    expect(output).toEqual({ offers: shop.memberOffers.length });
    expect(database.documentsOf('member_prices')).toEqual(
      shop.memberOffers.map(({ sku, title }) => ({ sku, title, trade_price: expect.stringMatching(/\d/) })),
    );
    expect(JSON.stringify(echoes)).not.toContain(String(secret.password));
  });

  test('fails with a hint if the login fails', async () => {
    const input = inputOf('members-only', 'inputMembers.json');
    const run = skript('members-only')(input, { username: 'first-mate', password: 'wrong' });
    await expect(run).rejects.toThrow('The login failed with status 401. Check the input secret.');
  });
});

test('behind-javascript stores the items of the script without duplicates', async () => {
  const run = skript('behind-javascript');
  const input = inputOf('behind-javascript', 'inputArrivals.json');
  await run(input);
  expect(await run(input)).toEqual({ arrivals: 40 });
  expect(echoed('log')[0]).toBe('The page itself lists 0 items: its script loads them.');
  expect(database.documentsOf('arrivals').map(({ sku, title, arrived }) => ({ sku, title, arrived }))).toEqual(
    arrivals(shop).map(({ sku, title, released }) => ({ sku, title, arrived: day(released) })),
  );
});

test('hello echoes three times and returns its input', async () => {
  const input = inputOf('hello', 'inputHello.json');
  expect(await skript('hello')(input)).toEqual(input);
  expect(echoes.map(({ type }) => type)).toEqual(['log', 'warn', 'objekt']);
});
