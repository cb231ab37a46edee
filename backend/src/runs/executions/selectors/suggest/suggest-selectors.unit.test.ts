import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'cheerio';
import { document } from '../../../../../../examples/src/practice-site/pages/layout.js';
import { productPage } from '../../../../../../examples/src/practice-site/pages/product.page.js';
import { redesign } from '../../../../../../examples/src/practice-site/pages/redesign/redesign.js';
import { LISTINGS, listing, listedRows as rows, SHOP, shop } from '../../../../../test/testdata/practice-listings.js';
import { oldValues } from './old-values.js';
import type { Page } from './read-page.js';
import type { SuggestedSelector } from './selector-search.js';
import { suggestSelectors } from './suggest-selectors.js';

const LISTED = { 1: LISTINGS.map(number => listing(number, 1)), 2: LISTINGS.map(number => listing(number, 2)) };
const listings = (layout: 1 | 2): Page[] => LISTED[layout];
const details = (layout: 1 | 2): Page[] =>
  shop.products.slice(0, 10).map(product => {
    const [category] = shop.categories.filter(({ slug }) => slug === product.category);
    if (!category) throw new Error(`${product.sku} has no category`);
    const html =
      layout === 1 ? document(productPage(product, category)) : redesign.document(redesign.product(product, category));
    return { url: `${SHOP}/products/${product.slug}`, html };
  });

/** Texts that cheerio, by which skripts read pages, finds with a suggestion. */
const found = (pages: Page[], { selector, attribute }: SuggestedSelector): string[] =>
  pages.flatMap(({ html }) => {
    const $ = load(html);
    return $(selector)
      .map((_, element) => (attribute === null ? $(element).text() : $(element).attr(attribute)))
      .get()
      .map(text => text.replace(/\s+/g, ' ').trim());
  });

const suggest = (pages: Page[], field: string, good: object[] = rows) =>
  suggestSelectors(pages, oldValues(good, field)).items;

describe('on the redesign of the practice shop', () => {
  it.each([
    ['price', '.amount'],
    ['rating', '.score-value'],
    ['reviews', '.score-count'],
    ['gtin', '.ean'],
    ['maker', '.brand'],
  ])('%s is in %s of all listings', (field, selector) => {
    const suggestions = suggest(listings(2), field);
    expect(suggestions[0]).toMatchObject({ selector, attribute: null, pages: LISTINGS.length });
    expect(suggestions.length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['price', '.amount'],
    ['maker', '.brand'],
    ['title', 'h1'],
  ])('%s is in %s of the pages with details', (field, selector) => {
    const suggestions = suggest(details(2), field);
    expect(suggestions.map(one => one.selector)).toContain(selector);
  });

  it('a choice is found in the attribute for machines', () => {
    expect(suggest(listings(2), 'stock')[0]).toMatchObject({ selector: '[data-state]', attribute: 'data-state' });
  });

  it('a date is found in its element', () => {
    expect(suggest(listings(2), 'released')[0]).toMatchObject({ selector: 'time', pages: LISTINGS.length });
  });

  it('prices are found by their shape if all have changed and the rows have no keys', () => {
    const good = rows.flatMap(({ price }) => (price === null ? [] : [{ price: price * 1.013 + 0.07 }]));
    expect(suggest(listings(2), 'price', good).map(({ selector }) => selector)).toContain('.amount');
  });

  it('counts the pages on which cheerio finds the values, too', () => {
    for (const field of ['price', 'rating', 'maker']) {
      for (const suggestion of suggest(listings(2), field)) {
        const withIt = listings(2).filter(page => found([page], suggestion).length > 0);
        expect(suggestion.pages).toBeGreaterThan(0);
        expect(withIt.length).toBeGreaterThanOrEqual(suggestion.pages);
        expect(found(listings(2), suggestion)).toContain(suggestion.example);
      }
    }
  });
});

it('in the first layout, the selectors of the sample skript are among those that it suggests', () => {
  const pages = listings(1);
  expect(suggest(pages, 'gtin')[0]?.selector).toBe('.gtin');
  expect(suggest(pages, 'maker')[0]?.selector).toBe('.maker-name');
  const [best] = suggest(pages, 'price');
  expect(best?.selector).toBe('.price');
  expect(best && found(pages, best)).toContain('Price on request');
});

describe('on pages of a coverage report, made by another program', () => {
  const folder = join(dirname(require.resolve('tsconfig-paths-webpack-plugin/package.json')), 'coverage/lcov-report');
  const files = readdirSync(folder).filter(name => name.endsWith('.ts.html'));
  const pages = files.map(name => ({
    url: `http://coverage.test/${name}`,
    html: readFileSync(join(folder, name), 'utf8'),
  }));
  /** Rows that a scraper has stored of them. */
  const reports = pages.map(({ url, html }) => {
    const figures = load(html)('.fl')
      .map((_, box) => load(box)('.strong').text().trim())
      .get();
    const covered = load(html)('.fraction').last().text();
    return {
      url,
      covered,
      statements: Number.parseFloat(figures[0] ?? ''),
      branches: Number.parseFloat(figures[1] ?? ''),
    };
  });

  it('tells figures apart that have the same classes', () => {
    for (const field of ['statements', 'branches', 'covered'] as const) {
      const [best] = suggest(pages, field, reports);
      const values = best ? found(pages, best).map(text => (field === 'covered' ? text : Number.parseFloat(text))) : [];
      expect(values).toEqual(reports.map(report => report[field]));
      expect({ field, pages: best?.pages }).toEqual({ field, pages: pages.length });
    }
  });
});

describe('robust selectors', () => {
  const page = (box: string): Page[] => [
    { url: 'http://shop.test/', html: `<main><div><p>Old news</p>${box}</div></main>` },
  ];
  const price = (box: string) => suggest(page(box), 'price', [{ price: 12.5 }])[0]?.selector;

  it.each([
    ['<span class="css-1q2w3e" itemprop="price">£12.50</span>', '[itemprop="price"]'],
    ['<span class="css-1q2w3e price">£12.50</span>', '.price'],
    ['<span id="price-48151" data-testid="price">£12.50</span>', '[data-testid="price"]'],
    ['<span class="Box_cost__3xY2z" data-price="12.50">£12.50</span>', '[data-price]'],
    ['<div class="sc-bdVaJa cost"><b>£12.50</b></div>', '.cost'],
    ['<div class="md:flex w-1/2 cost">£12.50</div>', '.cost'],
    ['<h1>£12.50</h1>', 'h1'],
  ])('of %s is %s', (box, selector) => expect(price(box)).toBe(selector));

  it('counts children only if nothing else tells them apart', () => {
    expect(price('<p>A</p><p>£12.50</p>')).toBe('main p:nth-of-type(3)');
  });

  it('finds the value in an attribute', () => {
    const [best] = suggest(page('<meta itemprop="price" content="12.50">'), 'price', [{ price: 12.5 }]);
    expect(best).toEqual({ selector: '[itemprop="price"]', attribute: 'content', pages: 1, example: '12.50' });
  });
});

describe('values', () => {
  const find = (html: string, value: unknown) =>
    suggest([{ url: 'http://shop.test/a/b', html }], 'field', [{ field: value }])[0]?.example;

  it.each([
    ['1.249,00 €', 1249],
    ['kr 1\u00a0249,50', 1249.5],
    ['1,249,500', 1_249_500],
    ['1.249', 1249],
    ['−4.5 °C', -4.5],
    ['In stock (22 available)', 'in_stock'],
    ['  Sold\n out ', 'Sold out'],
    ['3 March 2024', '2024-03-03T00:00:00.000Z'],
    ['Zürich', ['Zürich', 'Bern']],
  ])('%j is %j', (text, value) => {
    expect(find(`<p>Other</p><b>${text}</b>`, value)).toBe(text.replace(/\s+/g, ' ').trim());
  });

  it('a link is compared with its page as the base', () => {
    expect(find('<a href="../c?d=1">more</a>', 'https://other.test/c?d=1')).toBe('../c?d=1');
  });

  it('suggests nothing for values that no page shows', () => {
    for (const value of [null, '', {}, [], true, Number.NaN]) expect(find('<p>true 1</p>', value)).toBeUndefined();
    expect(find('<script>"price": 12.5</script><style>12.5</style>', 12.5)).toBeUndefined();
    expect(find('', 12.5)).toBeUndefined();
  });

  it('the row of a page is known by its URL, so another product with its old price does not count', () => {
    const good = [10.5, 20.5, 30.5].map((price, n) => ({ url: `https://shop.test/${n}`, price }));
    const pages = good.map(({ url, price }, n) => ({
      url,
      html: `<b class="related">${good[(n + 1) % 3]?.price}</b><b class="now">${price}</b>`,
    }));
    expect(suggest(pages, 'price', good).map(({ selector }) => selector)).toEqual(['.now', expect.anything()]);
  });
});

describe('hostile pages', () => {
  const fill = (text: string): string => text.repeat(Math.ceil((256 * 1024) / text.length)).slice(0, 256 * 1024);

  it.each([
    ['deep nesting', fill('<div>')],
    ['tags that are closed and were never open', `${'<b>'.repeat(20_000)}${fill('</i>')}`],
    ['100,000 elements', '<b>1.5</b>'.repeat(100_000)],
    ['25,000 attributes', `<a ${Array.from({ length: 25_000 }, (_, n) => `data-a${n}=1.5`).join(' ')}>`],
    ['unclosed lists', fill('<ul><li>5.5')],
    ['a tag that is cut', fill('<a a=1 b=2>4.5</a>')],
    ['no tags', fill('< & 5.5 ')],
    ['comments', fill('<!--')],
    ['names of prototypes', fill('<b class="constructor __proto__" data-__proto__ id=hasOwnProperty>5.5</b>')],
    ['selectors in names', fill('<b class="a"]{}*/b" data-x=""]b{}">5.5</b>')],
  ])('with %s are read in bounded time, and the answer is always the same', (_, html) => {
    const pages = [1, 2].map(n => ({ url: `http://shop.test/${n}`, html }));
    const good = oldValues(
      Array.from({ length: 100 }, (_, n) => ({ price: n + 0.5 })),
      'price',
    );
    const answer = suggestSelectors(pages, good);
    expect(suggestSelectors(pages, good)).toEqual(answer);
    for (const { selector } of answer.items) expect(load('<p></p>')(selector).length).toBe(0);
  });

  it('stops after so many elements, and says how many pages it has read', () => {
    const pages = Array.from({ length: 50 }, (_, n) => ({
      url: `http://shop.test/${n}`,
      html: '<i>a</i>'.repeat(20_000),
    }));
    expect(suggestSelectors(pages, oldValues([{ price: 1.5 }], 'price')).pages).toBe(5);
  });
});
