const axios = require('axios');
const cheerio = require('cheerio');
const { parse } = require('csv-parse/sync');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const cents = value => Math.round(value * 100) / 100;
const percent = (value, from) => Math.round((value / from - 1) * 1000) / 10;
const number = raw => (/\d/.test(raw) ? Number(raw.replace(',', '.').replace(/[^\d.]/g, '')) : null);

/** One reader for each form in which shops publish: product data in a page, a feed, a price list. */
const READERS = {
  html: body =>
    JSON.parse(cheerio.load(body)('script[type="application/ld+json"]').text())
      .itemListElement.filter(({ offers }) => offers.itemCondition.endsWith('/NewCondition'))
      .map(({ gtin13, offers }) => ({ gtin: gtin13, price_raw: offers.price, pack_size: 1, evidence: offers.url })),
  xml: body => {
    const $ = cheerio.load(body, { xml: true });
    const one = (item, tag) => $(`> ${tag.replace(':', '\\:')}`, item).text();
    return $('item')
      .toArray()
      .filter(item => one(item, 'g:condition') === 'new')
      .map(item => ({
        gtin: one(item, 'g:gtin'),
        price_raw: one(item, 'g:price'),
        pack_size: Number(one(item, 'g:multipack') || 1),
        shipping: number($('g\\:shipping', item).text()),
        evidence: one(item, 'link'),
      }));
  },
  csv: body =>
    parse(body, { columns: true, delimiter: ';' }).map(({ ean, preis_netto, versand, link }) => ({
      gtin: ean.padStart(13, '0'),
      price_raw: preis_netto,
      pack_size: 1,
      shipping: number(versand),
      evidence: link,
    })),
};

module.exports = async ({ base_url, shops, largest_change_percent, observed_at }) => {
  const get = async path => (await axios.get(new URL(path, base_url).href)).data;
  const own = parse(await get('/own.csv'), { columns: true });
  const yesterday = await get('/yesterday/prices.json');

  const rows = [];
  for (const { shop, path, vat_percent, shipping: usual, free_from } of shops) {
    const offers = READERS[path.split('.').at(-1)](await get(path));
    for (const { product_id, gtin, name, price: own_raw } of own) {
      const offer = offers.find(each => each.gtin === gtin);
      const before = yesterday.find(row => row.shop === shop && row.product_id === product_id)?.price ?? null;
      if (!offer && before === null) continue;
      const shown = offer ? number(offer.price_raw) : null;
      const price = shown === null ? null : cents((shown / offer.pack_size) * (1 + vat_percent / 100));
      const shipping = price === null ? null : (offer.shipping ?? (shown >= free_from ? 0 : usual));
      const change_percent = price && before ? percent(price, before) : null;
      const gap_percent = price && percent(price, own_raw);
      const held = Math.abs(change_percent ?? gap_percent) > largest_change_percent;
      const moved = before === null ? 'new' : ['down', 'same', 'up'][Math.sign(change_percent) + 1];
      rows.push({
        product_id,
        shop,
        event: price === null ? 'gone' : held ? 'held' : moved,
        price,
        price_yesterday: before,
        change_percent,
        shipping,
        total: price && cents(price + shipping / offer.pack_size),
        rank: null,
        own_price: Number(own_raw),
        gap_percent,
        currency: 'EUR',
        pack_size: offer?.pack_size ?? null,
        price_raw: offer?.price_raw ?? null,
        gtin,
        product: name,
        evidence: offer?.evidence ?? null,
        observed_at,
      });
    }
    const here = rows.filter(row => row.shop === shop);
    const gone = here.filter(({ event }) => event === 'gone').length;
    if (gone > here.length * 0.4)
      throw new Error(`${shop}: ${gone} of ${here.length} offers are gone. Its page has changed.`);
  }

  for (const row of rows.filter(({ event }) => event === 'held')) echo.warn('Held for a person:', row);
  const ranked = rows.filter(({ event }) => event !== 'gone' && event !== 'held');
  for (const row of ranked) {
    row.rank = 1 + ranked.filter(({ product_id, total }) => product_id === row.product_id && total < row.total).length;
  }
  if (ranked.length < rows.length / 2)
    throw new Error('Fewer than half of the rows can be compared: nothing is stored.');
  await mongo.collection('prices').insertMany(rows);
  const events = rows.map(({ event }) => event);
  return Object.fromEntries([...new Set(events)].map(event => [event, events.filter(each => each === event).length]));
};
