import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio/slim';

const BUILD = 'website/build';
/** The rules for words do not apply to examples: recorded runs, requests and responses. */
const EXAMPLES = 'pre, code, table, figure, script, style, svg';

const AMOUNT =
  /(?:[€$£]|\b(?:EUR|USD|GBP))\s?\d(?:[\d.,]*\d)?|\d[\d.,]*\s?(?:[€$£]|(?:EUR|USD|GBP|euros?|dollars?|pounds|cents)\b)/gi;
const SHOUT = /[\p{L}\d)”"]!(?!\p{L})/gu;
const ADVERTISING =
  /\b(?:revolutionary|seamless\w*|leverag\w+|unlock\w*|lorem|cutting-edge|world-class|state-of-the-art|game-chang\w+|GDPR-certified|100 ?% legal)\b/gi;

/** For each page, amounts of money that belong to scraped data in an example. They are not prices of Trawl. */
const AMOUNTS_IN_DATA: Record<string, string[]> = {
  '/industries/ecommerce': ['€ 0.90', '€ 8.98'],
  '/industries/marketing': ['€50', '€80'],
  '/industries/real-estate': ['349,000 euros'],
  '/industries/recruitment': ['4,800 euros'],
  '/industries/travel': ['€ 174.80', '€ 184.00'],
  '/services/chrome-extension-development': ['€ 0.11', 'EUR 42,90', '€ 4.90'],
  '/services/web-scraping': ['€ 24.90'],
};

const routes = [...readFileSync(join(BUILD, 'sitemap.xml'), 'utf8').matchAll(/<loc>([^<]+)<\/loc>/g)].map(
  ([, address]) => new URL(String(address)).pathname,
);
// `npm test` reads a quarter of the pages, which the seed chooses.
const pages = routes
  .filter((_, index) => isFullTest || index % 4 === testSeed % 4)
  .map(route => {
    const $ = load(readFileSync(join(BUILD, `${route === '/' ? 'index' : route}.html`), 'utf8'));
    const head = [$('title').text(), $('meta[name="description"]').attr('content') ?? ''];
    $(EXAMPLES).remove();
    // Add a space after each element. Without it, the texts of neighbouring elements would join into one word.
    $('*').append(' ');
    return { route, words: [...head, $('body').text()].join(' ').replace(/\s+/g, ' ') };
  });
const found = (pattern: RegExp) =>
  pages.flatMap(({ route, words }) => (words.match(pattern) ?? []).map(match => `${route}: ${match}`));

test('no page of the website states a price', () => {
  expect(routes.length).toBeGreaterThan(60);
  const inData = Object.entries(AMOUNTS_IN_DATA).flatMap(([route, amounts]) =>
    amounts.map(amount => `${route}: ${amount}`),
  );
  expect(found(AMOUNT).filter(match => !inData.includes(match))).toEqual([]);
});

test('no page of the website uses exclamation marks', () => {
  expect(found(SHOUT)).toEqual([]);
});

test('no page of the website uses advertising language', () => {
  expect(found(ADVERTISING)).toEqual([]);
});
