import { load } from 'cheerio';
import { LISTINGS, listedRows, listing, SHOP } from '../../../../../test/testdata/practice-listings.js';
import type { Page } from './read-page.js';
import { suggestRows } from './suggest-rows.js';

const redesigned = LISTINGS.map(number => listing(number, 2));
const firstOf = ({ fields }: ReturnType<typeof suggestRows>) =>
  Object.fromEntries(fields.map(({ field, items }) => [field, items[0]?.selector]));
const page = (body: string, path = ''): Page => ({ url: `http://books.test/${path}`, html: body });
const books = Array.from({ length: 12 }, (_, n) => ({
  title: `The ${n}. book`,
  price: 5.25 + n,
  by: { name: `A${n}` },
}));

describe('a run that has found no rows', () => {
  it('gets the selector of a row, and selectors of its fields', () => {
    const found = suggestRows(redesigned, listedRows, []);
    expect(found).toMatchObject({ pages: 5, row: { selector: '[data-sku]', pages: 5, rows: 100 }, missing: 100 });
    expect(firstOf(found)).toMatchObject({ sku: '[data-sku]', title: '.tile-name', price: '.amount', gtin: '.ean' });
    expect(found.fields).toHaveLength(8);
    for (const { items } of found.fields) expect(items.length).toBeLessThanOrEqual(3);
    expect(suggestRows(redesigned, listedRows, [])).toEqual(found);
  });

  it('each field is inside the elements of the rows', () => {
    const { row, fields } = suggestRows(redesigned, listedRows, []);
    for (const { html } of redesigned) {
      const $ = load(html);
      const tiles = $(row?.selector ?? '');
      expect(tiles).toHaveLength(20);
      for (const { items } of fields) {
        const [best] = items;
        expect(tiles.find(best?.selector ?? '').length + tiles.filter(best?.selector ?? '').length).toBeGreaterThan(9);
      }
    }
  });

  it('of a table gets its lines', () => {
    const lines = books.map(({ title, price, by }) => `<tr><td>${title}<td>${by.name}<td>£${price}</tr>`);
    const html = `<table><tr><th>Title<th>By<th>Price</tr>${lines.join('')}</table><footer>£5.25</footer>`;
    const { row, fields } = suggestRows([page(html)], books, []);
    expect(row).toMatchObject({ pages: 1, rows: 12 + 1 });
    expect(fields.map(({ field }) => field).sort()).toEqual(['by.name', 'price', 'title']);
  });

  it('with one row a page gets no selector of a row', () => {
    const pages = books.map(({ title, price }, n) =>
      page(`<main><h1>${title}</h1><b class="cost">£${price}</b></main>`, `${n}`),
    );
    const found = suggestRows(pages, books, []);
    expect(found.row).toBeNull();
    expect(firstOf(found)).toEqual({ title: 'h1', price: '.cost' });
  });

  it('gets nothing from the texts of a page that has other things', () => {
    const found = suggestRows([page('<h1>The robot check</h1><p>Are you one of us?</p>')], books, []);
    expect(found).toMatchObject({ pages: 1, row: null, fields: [], known: 3 });
  });
});

describe('a run that has found a part of the rows', () => {
  it('gets selectors of the pages whose rows are missing', () => {
    const pages = LISTINGS.map(number => listing(number, number <= 3 ? 1 : 2));
    const found = suggestRows(pages, listedRows, listedRows.slice(0, 60));
    expect(found).toMatchObject({ pages: 2, row: { selector: '[data-sku]', pages: 2, rows: 40 } });
    expect(firstOf(found)).toMatchObject({ price: '.amount', gtin: '.ean' });
  });

  it('knows that the other rows are on none of its pages', () => {
    const pages = [1, 2].map(number => listing(number, 2));
    expect(suggestRows(pages, listedRows, listedRows.slice(0, 40))).toMatchObject({
      fields: [],
      pages: 0,
      read: 2,
      missing: 60,
    });
  });

  it('without a field that names rows gets selectors of all pages', () => {
    const prices = listedRows.map(({ price, reviews }) => ({ price, reviews }));
    expect(suggestRows(redesigned, prices, prices.slice(0, 40))).toMatchObject({ pages: 5, missing: 100 });
  });
});

it('fields without different values, and those of the platform, are left out', () => {
  const rows = books.map((book, n) => ({ _id: `id${n}`, _run: 'r', shop: 'Books', ...book }));
  const html = books.map(({ title, price }) => `<p>${title} <b>£${price}</b></p>`).join('');
  expect(suggestRows([page(html)], rows, []).known).toBe(3);
  expect(suggestRows([page(html)], [], []).known).toBe(0);
});

describe('hostile rows and pages', () => {
  const row = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`__proto__${n}`, n]));
  it.each([
    ['many fields', [row, { ...row, __proto__1: 'x' }], [page('<b>5</b>'.repeat(100))]],
    ['deep values', [{ a: { b: { c: { d: { e: 1 } } } } }], [page('<b>1</b>')]],
    ['deep pages', books, [page('<div>'.repeat(50_000))]],
    ['many elements', books, Array.from({ length: 10 }, (_, n) => page('<b>£5.25</b>'.repeat(20_000), `${n}`))],
    ['a row in each element', books, [page('<p><i>The 1. book<b>5.25</b></i>'.repeat(20_000))]],
  ])('with %s are read in bounded time', (_, rows, pages) => {
    expect(suggestRows(pages, rows, []).fields.length).toBeLessThanOrEqual(8);
  });
});

it('links of another host name the same rows', () => {
  const pages = redesigned.map(({ html }, n) => ({ url: `https://new.test/${n}`, html }));
  const urls = listedRows.map(({ url, price }) => ({ url: url.replace(SHOP, 'http://old.test'), price }));
  expect(firstOf(suggestRows(pages, urls, []))).toMatchObject({ url: '[data-sku] a', price: '.amount' });
});
