const axios = require('axios');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const BASE_UNITS = { g: ['g', 1], kg: ['g', 1000], ml: ['ml', 1], l: ['ml', 1000], bags: ['bags', 1] };
const SAME_WORD = { decaffeinated: 'decaf', oatdrink: 'oat drink' };
const TELLING_WORDS = ['decaf', 'loose', 'mild'];
const PACK = /(?:(\d+)\s*x\s*)?(\d+(?:[.,]\d+)?)\s*(kg|g|ml|l|bags)\b/;

const plain = text => text.toLowerCase().replace(/ø/g, 'o').replace(/×/g, 'x').normalize('NFKD').replace(/\p{M}/gu, '');

function packOf(title) {
  const [found, times = 1, amount, unit] = PACK.exec(plain(title)) ?? [];
  if (!found) return null;
  const [base, factor] = BASE_UNITS[unit];
  return `${times} x ${Number(amount.replace(',', '.')) * factor} ${base}`;
}

/** The number padded to 14 digits, or null when its length or its check digit is wrong. */
function gtin14(raw) {
  const digits = String(raw ?? '').padStart(14, '0');
  const sum = [...digits].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 3 : 1), 0);
  return /^\d{14}$/.test(digits) && Number(digits) > 0 && sum % 10 === 0 ? digits : null;
}

function describe({ title, brand, gtin }, brands) {
  const text = plain(title);
  const known = brands.find(name => plain(brand ?? title).includes(name)) ?? null;
  const words = text
    .replace(PACK, ' ')
    .split(/[^a-z0-9]+/)
    .flatMap(word => (SAME_WORD[word] ?? word).split(' '))
    .filter(word => word.length > 2 && word !== known);
  return { brand: known, pack: packOf(title), words: new Set(words), gtin: gtin14(gtin) };
}

function compare(offer, product) {
  const shared = [...offer.words].filter(word => product.words.has(word)).length;
  const clashes = TELLING_WORDS.filter(word => offer.words.has(word) !== product.words.has(word));
  const likeness = (2 * shared) / (offer.words.size + product.words.size);
  const parts = [offer.brand === product.brand ? 0.25 : 0, offer.pack === product.pack ? 0.25 : 0, likeness / 2];
  const reasons = [
    parts[0] ? 'brand equal' : 'brand differs',
    parts[1] ? 'pack equal' : offer.pack ? `pack ${offer.pack}, not ${product.pack}` : 'pack not shown',
    `${shared} of ${product.words.size} words`,
    ...clashes.map(word => `"${word}" on one side only`),
  ];
  const against = clashes.length + (offer.pack && !parts[1] ? 1 : 0);
  const score = parts.reduce((sum, part) => sum + part) - 0.2 * against;
  return { score: Math.max(0, Math.round(score * 100) / 100), reason: reasons.join('; ') };
}

module.exports = async ({ base_url, shops, accept, review }) => {
  const read = async path => (await axios.get(new URL(path, base_url).href)).data;
  const catalogue = await read('/catalogue.json');
  const brands = [...new Set(catalogue.map(({ brand }) => plain(brand)))];
  const products = catalogue.map(({ brand, ...product }) => ({
    ...product,
    ...describe({ brand, ...product }, brands),
    title: `${brand} ${product.title}`,
  }));

  const rows = [];
  for (const shop of shops) {
    for (const raw of await read(`/shops/${shop}.json`)) {
      const offer = describe(raw, brands);
      const byGtin = offer.gtin && products.find(({ gtin }) => gtin === offer.gtin);
      const ranked = products
        .map(product => ({ product, ...compare(offer, product) }))
        .sort((a, b) => b.score - a.score);
      const [best, second] = byGtin
        ? [
            { product: byGtin, score: 1, reason: 'GTIN equal, check digit right' },
            ranked.find(r => r.product !== byGtin),
          ]
        : ranked;
      const near = best.score >= review;
      const doubts = [];
      if (byGtin && offer.pack !== byGtin.pack) doubts.push(`pack ${offer.pack}, not ${byGtin.pack}`);
      if (/\b(box|case|tray) of \d/.test(plain(raw.title))) doubts.push('title speaks of a bundle');
      if (near && !byGtin && best.score - second.score < 0.05) doubts.push(`${second.product.product_id} is as close`);
      rows.push({
        offer_id: `${shop}/${raw.id}`,
        offer_title: raw.title,
        offer_gtin: offer.gtin,
        offer_pack: offer.pack,
        product_id: near ? best.product.product_id : null,
        product_title: near ? best.product.title : null,
        decision: !near ? 'none' : best.score < accept || doubts.length > 0 ? 'review' : 'match',
        score: best.score,
        reason: [best.reason, ...doubts].join('; '),
        shop,
        offer_brand: raw.brand,
        offer_gtin_raw: raw.gtin,
        product_pack: near ? best.product.pack : null,
        method: !near ? 'none' : byGtin ? 'gtin' : 'text',
        runner_up: near && second.score >= review ? second.product.product_id : null,
        price: raw.price,
        currency: raw.currency,
        url: raw.url,
      });
    }
  }

  const twice = new Map();
  for (const row of rows.filter(({ decision }) => decision === 'match')) {
    const key = `${row.shop} ${row.product_id}`;
    twice.set(key, [...(twice.get(key) ?? []), row]);
  }
  for (const group of [...twice.values()].filter(({ length }) => length > 1))
    for (const row of group)
      Object.assign(row, { decision: 'review', reason: `${row.reason}; matched twice in this shop` });

  for (const row of rows)
    await mongo.collection('matches').replaceOne({ offer_id: row.offer_id }, row, { upsert: true });
  const count = decision => rows.filter(row => row.decision === decision).length;
  echo.log(`${count('match')} matched, ${count('review')} for a person, ${count('none')} without a product of yours`);
  return { match: count('match'), review: count('review'), none: count('none') };
};
