const { setTimeout: pause } = require('node:timers/promises');
const cheerio = require('cheerio');
const { got } = require('got');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

// Waits as long as Retry-After asks for. Anything else, a 404 for example, is not tried again.
const client = got.extend({
  headers: { 'user-agent': 'tree-register-reader (contact: data@customer.example)' },
  timeout: { request: 15_000 },
  retry: { limit: 3, statusCodes: [429, 503], maxRetryAfter: 120_000 },
});

const number = shown => Number(/\d+(?:[.,]\d+)?/.exec(shown)?.[0].replace(',', '.') ?? Number.NaN);
const isoDate = shown => {
  const [day, month, year] = shown.split('.');
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
};
const degrees = shown => {
  const [, d, m, s, side] = /(\d+)° (\d+)′ (\d+)″ ([NSEW])/.exec(shown) ?? [];
  if (!side) return null;
  return Number(((Number(d) + m / 60 + s / 3600) * (/[SW]/.test(side) ? -1 : 1)).toFixed(5));
};

/** The table's rows by the words in its head, so that a column which moves does no harm. */
function treesOf($) {
  const heads = $('thead th')
    .toArray()
    .map(cell => $(cell).text());
  const wanted = ['No.', 'Species', 'Street', 'Planted', 'Height', 'Girth', 'Inspected'];
  const missing = wanted.filter(head => !heads.includes(head));
  if (missing.length > 0)
    throw new Error(`the table has no column ${missing.join(', ')}; its head is: ${heads.join(', ')}`);
  return $('tbody tr')
    .toArray()
    .map(row =>
      Object.fromEntries(
        $(row)
          .find('td')
          .toArray()
          .map((cell, place) => [heads[place], $(cell).text().trim()]),
      ),
    );
}

module.exports = async ({ base_url, from_page = 1, pause_ms = 2_000, read_at }) => {
  const trees = mongo.collection('trees');
  const seen = new Set();
  let page = from_page;
  let expected = 0;
  try {
    for (let next = `/trees/${page}`; next; ) {
      const url = new URL(next, base_url).href;
      const $ = cheerio.load(await client(url).text());
      expected = number($('.count').text());
      for (const tree of treesOf($)) {
        const row = {
          tree_id: tree['No.'],
          species: tree.Species,
          street: tree.Street,
          planted_raw: tree.Planted,
          planted_year: number(tree.Planted) || null,
          height_m: number(tree.Height),
          girth_cm: number(tree.Girth),
          latitude: degrees(tree.North),
          longitude: degrees(tree.West),
          common_name: tree['Common name'] || null,
          district: tree.District,
          planted_exactly: /^\d{4}$/.test(tree.Planted),
          condition: tree.Condition,
          inspected_on: isoDate(tree.Inspected),
          is_protected: tree.Protected === 'yes',
          list_page: url,
          read_at,
        };
        if (!row.tree_id || !(row.height_m > 0 && row.height_m < 60))
          throw new Error(`row not usable: ${JSON.stringify(tree)}`);
        await trees.replaceOne({ tree_id: row.tree_id }, row, { upsert: true });
        seen.add(row.tree_id);
      }
      echo.log(`page ${page} stored, ${seen.size} of ${expected} trees`);
      next = $('a.next').attr('href');
      page += 1;
      if (next) await pause(pause_ms);
    }
  } catch (error) {
    throw new Error(`Stopped at page ${page}. Pages before it are stored. Start again with from_page: ${page}.`, {
      cause: error,
    });
  }
  if (from_page === 1 && seen.size !== expected)
    throw new Error(
      `The register counts ${expected} trees, ${seen.size} were read. Look for a page that was passed over.`,
    );
  return { trees: seen.size, pages: page - from_page };
};
