const axios = require('axios');
const cheerio = require('cheerio');
const { parse } = require('csv-parse/sync');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const FEWEST_IMAGES = 3;
const UNIT_PRICE_TOLERANCE = 0.02;
const PER_BASE_UNIT = { ml: 0.001, l: 1, g: 0.001, kg: 1 };
/** The last number in a text: of "30 days: € 4.99" it is the price. */
const number = text => (text ? Number(/[\d.,]+(?!.*\d)/.exec(text)[0].replace(',', '.')) : null);

/** "2 x 750 ml" is 1.5, in litres or kilograms. */
const amountOf = pack => {
  const [, pieces = '1', size, unit] = /(?:(\d+) x )?([\d.,]+) (ml|l|g|kg)$/.exec(pack);
  return Math.round(pieces * number(size) * PER_BASE_UNIT[unit] * 1_000) / 1_000;
};
const gtinIsSound = gtin => [...gtin].reduce((sum, digit, i) => sum + digit * (i % 2 ? 3 : 1), 0) % 10 === 0;

module.exports = async ({ base_url, retailers, category, brand, read_at }) => {
  const load = async address => cheerio.load((await axios.get(address)).data);
  const own = parse((await axios.get(`${base_url}/own-products.csv`)).data, { columns: true });
  const unsound = own.filter(({ gtin }) => !gtinIsSound(gtin)).map(({ own_sku }) => own_sku);
  if (unsound.length > 0) throw new Error(`The article list has wrong GTINs at ${unsound}. Nothing was read.`);
  const rows = [];
  for (const [retailer, retailerName] of Object.entries(retailers)) {
    const shelf = [];
    for (let next = `/${retailer}/${category}/1`; next; ) {
      const $ = await load(base_url + next);
      // Paid places are not the shelf: a product's position counts the others only.
      shelf.push(...$('li.tile:not(.sponsored) a').map((_, a) => ({ path: $(a).attr('href'), tile: $(a).text() })));
      next = $('link[rel="next"]').attr('href');
    }
    const found = new Map();
    for (const [index, { path, tile }] of shelf.entries()) {
      if (!tile.toLowerCase().includes(brand)) continue;
      const url = base_url + path;
      const $ = await load(url);
      const data = JSON.parse($('script[type="application/ld+json"]').text());
      const product = (data['@graph'] ?? [data]).find(node => node['@type'] === 'Product');
      const sound = gtinIsSound(product.gtin13 ?? '1');
      if (!sound) echo.warn(`${url} shows the GTIN ${product.gtin13}, which cannot be one.`);
      const text = selector => $(selector).text() || null;
      if (sound) found.set(product.gtin13, { product, text, url, shelf_position: index + 1 });
    }
    for (const { own_sku, gtin, content } of own) {
      const { product, text, url = null, shelf_position = null } = found.get(gtin) ?? {};
      const offer = product?.offers;
      const pack = text?.('.pack') ?? null;
      const price = number(offer?.price);
      const unit_price = pack && Math.round((price / amountOf(pack)) * 100) / 100;
      const unit_price_shown = number(text?.('.unit'));
      const lowest_price_30d = number(text?.('.lowest'));
      const problems = {
        'not found under its GTIN': !product,
        'other pack': pack && amountOf(pack) !== amountOf(content),
        'unit price wrong': Math.abs(unit_price_shown / unit_price - 1) > UNIT_PRICE_TOLERANCE,
        'reduction without 30-day price': text?.('.was') && !lowest_price_30d,
        'few images': product?.image.length < FEWEST_IMAGES,
        'sold out': offer?.availability.endsWith('OutOfStock'),
      };
      rows.push({
        own_sku,
        retailer,
        problems:
          Object.keys(problems)
            .filter(problem => problems[problem])
            .join('; ') || null,
        price,
        unit_price_shown,
        unit_price,
        lowest_price_30d,
        shelf_position,
        shelf_size: shelf.length,
        gtin,
        listed: Boolean(product),
        title_shown: product?.name ?? null,
        pack_shown: pack,
        currency: offer?.priceCurrency ?? null,
        sold_by: offer ? (offer.seller.name === retailerName ? 'retailer' : 'marketplace') : null,
        availability: offer?.availability.split('/').at(-1) ?? null,
        images: product?.image.length ?? null,
        rating: number(product?.aggregateRating?.ratingValue),
        url,
        read_at,
      });
    }
    if (found.size === 0) throw new Error(`${retailer}: not one of our products on a shelf of ${shelf.length}.`);
  }
  rows.sort((a, b) => Number(b.problems !== null) - Number(a.problems !== null));
  await mongo.collection('shelf_checks').insertMany(rows);
  return { stored: rows.length, with_problems: rows.filter(({ problems }) => problems).length };
};
