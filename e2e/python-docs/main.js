import { echo } from '@trawl/echo';
import { mongo } from '@trawl/storage';
import axios from 'axios';
import * as cheerio from 'cheerio';

const PAGES_AT_ONCE = 4;

/**
 * Stores one document per page: `{ page, title, headings: [{ level, text }], links }`.
 * Reads `pages` (paths below `base_url`); without them it starts at `index` and follows links.
 */
export default async function run({ base_url, pages, index = 'index.html' }) {
  const base = base_url.endsWith('/') ? base_url : `${base_url}/`;
  const docs = mongo.collection('python_docs');
  await docs.createIndex({ page: 1 }, { unique: true });

  // A page from the list must exist; a linked page may be missing.
  const validateStatus = status => status === 200 || (status === 404 && !pages);
  const sum = { pages: 0, headings: 0, links: 0 };
  const known = new Set(pages ?? [index]);
  for (let wave = [...known]; wave.length > 0; ) {
    const found = new Set();
    await atMost(PAGES_AT_ONCE, wave, async page => {
      const url = new URL(page, base).href;
      const { data, status } = await axios.get(url, { responseType: 'text', timeout: 30_000, validateStatus });
      if (status === 404) {
        echo.warn(`${page} is linked, but missing`);
        return;
      }
      const { facts, hrefs } = readPage(data);
      await docs.replaceOne({ page }, { page, ...facts }, { upsert: true });
      for (const linked of pagesBelow(base, hrefs, url)) found.add(linked);
      sum.pages += 1;
      sum.headings += facts.headings.length;
      sum.links += facts.links;
    });
    echo.log(`${sum.pages} pages, ${sum.headings} headings, ${sum.links} links`);
    wave = pages ? [] : [...found].filter(page => !known.has(page));
    for (const page of wave) known.add(page);
  }
  return sum;
}

async function atMost(limit, items, work) {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, lane));
}

function readPage(html) {
  // No scripts run here, so the content of <noscript> belongs to the page.
  const $ = cheerio.load(html, { scriptingEnabled: false });
  // A template's content is not part of the document until a script inserts it.
  $('template').empty();
  // Like the DOM's textContent; cheerio's text() omits scripts and styles.
  const text = element => collapse($(element).prop('textContent') ?? '');
  const links = $('a[href]');
  const facts = {
    // SVG pictures have <title> elements of their own.
    title: text($('title').not('svg title').first()),
    headings: $('h1, h2, h3, h4, h5, h6')
      .map((_, heading) => ({ level: Number(heading.name[1]), text: text(heading) }))
      .get(),
    links: links.length,
  };
  return { facts, hrefs: links.map((_, link) => $(link).attr('href')).get() };
}

/** Collapses white space as HTML defines it, which excludes no-break spaces. */
function collapse(text) {
  return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
}

/** Returns the pages below `base` that the page at `url` links to, as paths without a fragment. */
function pagesBelow(base, hrefs, url) {
  return hrefs
    .filter(href => URL.canParse(href, url))
    .map(href => new URL(href, url))
    .filter(({ href, pathname }) => href.startsWith(base) && pathname.endsWith('.html'))
    .map(({ origin, pathname }) => (origin + pathname).slice(base.length));
}
