const axios = require('axios');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');
const { atMost } = require('./lib/at-most');
const { readListing } = require('./lib/listing');

const PAGES_AT_ONCE = 4;

module.exports = async ({ base_url, max_pages = Infinity }) => {
  const shop = axios.create({ baseURL: base_url, timeout: 8000 });
  const products = mongo.collection('products');
  await products.createIndex({ sku: 1 }, { unique: true });

  const openPage = async page => readListing((await shop.get('/catalogue', { params: { page } })).data, base_url);
  const { page_count } = await openPage(1);
  const pages = Array.from({ length: Math.min(page_count, max_pages) }, (_, index) => index + 1);
  const sum = { pages: 0, products: 0, added: 0, updated: 0, missing: {} };
  echo.log(`${page_count} pages in the catalogue, reading ${pages.length} of them, ${PAGES_AT_ONCE} at a time`);

  await atMost(PAGES_AT_ONCE, pages, async page => {
    const { rows } = await openPage(page);
    // Upsert by article number, so that a second run refreshes the row instead of adding another.
    const writes = await Promise.all(rows.map(row => products.replaceOne({ sku: row.sku }, row, { upsert: true })));

    const added = writes.filter(write => write.upsertedCount === 1).length;
    sum.pages += 1;
    sum.products += rows.length;
    sum.added += added;
    sum.updated += rows.length - added;
    countGaps(rows, sum.missing);
    if (page === 1) echo.objekt(rows[0]);
    if (sum.pages % 10 === 0) echo.log(`${sum.pages} of ${pages.length} pages, ${sum.products} products`);
  });
  const gaps = Object.entries(sum.missing).map(([field, count]) => `${field} (${count})`);
  if (gaps.length > 0) echo.warn(`Fields missing for some products: ${gaps.join(', ')}`);
  return sum;
};

/** Counts the missing fields of these rows. */
function countGaps(rows, missing) {
  for (const row of rows) {
    for (const field of ['maker', 'price', 'stock', 'gtin', 'released']) {
      if (row[field] === null) missing[field] = (missing[field] ?? 0) + 1;
    }
  }
}
