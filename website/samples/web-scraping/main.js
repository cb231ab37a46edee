const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const text = node => node.text().replace(/\s+/g, ' ').trim() || null;
const amount = shown => (shown ? Number(shown.replace(/[^\d.]/g, '')) : null);

module.exports = async ({ base_url, read_at = new Date().toISOString() }) => {
  const rows = [];
  let address = new URL('/shelf/1', base_url).href;
  while (address) {
    const $ = cheerio.load((await axios.get(address)).data);
    for (const card of $('li.offer').toArray()) {
      const find = selector => $(card).find(selector);
      const price_raw = text(find('.price b'));
      rows.push({
        sku: $(card).attr('data-sku'),
        title: text(find('h2')),
        category: text(find('.meta')).split(' · ')[0],
        brand: text(find('.brand')),
        gtin: text(find('.gtin'))?.replace('EAN ', '') ?? null,
        price_raw,
        price: amount(price_raw),
        price_before: amount(text(find('.price s'))),
        currency: 'EUR',
        vat_included: text(find('.price')).endsWith('incl. VAT'),
        in_stock: text(find('.stock')) !== 'Sold out',
        stock: Number(/^\d+/.exec(text(find('.stock')))?.[0] ?? 0),
        url: new URL(find('h2 a').attr('href'), base_url).href,
        page: address,
        read_at,
      });
    }
    const next = $('link[rel="next"]').attr('href');
    address = next ? new URL(next, base_url).href : null;
    echo.log(`${rows.length} offers so far`);
  }

  const wrong = rows.filter(({ sku, title, price }) => !sku || !title || !(price > 0));
  if (wrong.length > 0)
    throw new Error(`${wrong.length} of ${rows.length} rows lack a sku, title or price: nothing is stored.`);
  if (new Set(rows.map(({ sku }) => sku)).size < rows.length) throw new Error('A sku occurs twice: nothing is stored.');
  await mongo.collection('offers').insertMany(rows);
  return { stored: rows.length };
};
