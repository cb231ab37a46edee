const axios = require('axios');
const cheerio = require('cheerio');
const { parse } = require('csv-parse/sync');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const decimal = shown => (shown.trim() ? Number(shown.replaceAll('.', '').replace(',', '.')) : null);
const cents = value => Math.round(value * 100) / 100;
const isoDate = shown => shown.split('.').reverse().join('-');

/** Supplier offers from the ERP's export: semicolons, decimal commas, a byte order mark. */
function offersOf(csv) {
  const offers = new Map();
  for (const line of parse(csv, { bom: true, columns: true, delimiter: ';' })) {
    const pieces = Number(/box of (\d+)/.exec(line.Per)?.[1] ?? 1);
    const price = decimal(line['List price']);
    offers.set(`${line.Item} ${line.Supplier}`, {
      item: line.Item,
      supplier: line.Supplier,
      country: line.Country,
      currency: line.Currency,
      pieces,
      list_price: price,
      weight_kg: decimal(line['Weight kg']) / pieces,
      valid_to: isoDate(line['Valid to']),
      description: line.Description,
    });
  }
  return [...offers.values()];
}

/** The newest day's rates, as units for one euro. */
function ratesOf(xml) {
  const $ = cheerio.load(xml, { xml: true });
  const day = $('day')
    .toArray()
    .sort((a, b) => $(b).attr('date').localeCompare($(a).attr('date')))[0];
  const rates = new Map([['EUR', 1]]);
  for (const rate of $(day).find('rate').toArray()) rates.set($(rate).attr('currency'), Number($(rate).text()));
  return { rates, date: $(day).attr('date') };
}

module.exports = async ({ base_url, read_at }) => {
  const read = async path => (await axios.get(base_url + path)).data;
  const [csv, xml, freight] = await Promise.all([read('/suppliers.csv'), read('/rates.xml'), read('/freight.json')]);
  const { rates, date } = ratesOf(xml);
  const lanes = new Map(freight.lanes.map(lane => [lane.from, lane]));
  const today = read_at.slice(0, 10);
  if (Date.parse(today) - Date.parse(date) > 4 * 86_400_000)
    throw new Error(`The newest rates are of ${date}, more than four days old: nothing is stored.`);

  const rows = offersOf(csv).map(offer => {
    const rate = rates.get(offer.currency) ?? null;
    const lane = lanes.get(offer.country);
    const gaps = [
      offer.list_price === null && 'no price in suppliers.csv',
      offer.valid_to < today && `price ran out on ${offer.valid_to}`,
      rate === null && `no rate for ${offer.currency}`,
      !lane && `no freight from ${offer.country}`,
    ].filter(Boolean);
    const each_eur = rate && offer.list_price !== null ? cents(offer.list_price / offer.pieces / rate) : null;
    const freight_eur = lane ? cents(Math.max(lane.least, lane.per_kg * offer.weight_kg)) : null;
    return {
      item: offer.item,
      supplier: offer.supplier,
      list_price: offer.list_price,
      list_currency: offer.currency,
      pieces: offer.pieces,
      each_eur,
      freight_eur,
      landed_eur: gaps.length === 0 ? cents(each_eur + freight_eur) : null,
      rank: null,
      gap: gaps.join('; ') || null,
      description: offer.description,
      country: offer.country,
      weight_each_kg: Math.round(offer.weight_kg * 1000) / 1000,
      transit_days: lane?.days ?? null,
      rate_per_eur: rate,
      rate_date: date,
      valid_to: offer.valid_to,
      joined_at: read_at,
    };
  });

  for (const item of new Set(rows.map(row => row.item))) {
    const whole = rows.filter(row => row.item === item && row.landed_eur !== null);
    whole.sort((a, b) => a.landed_eur - b.landed_eur || a.transit_days - b.transit_days);
    for (const [place, row] of whole.entries()) row.rank = place + 1;
    if (whole.length === 0) echo.warn(`${item}: no supplier has a price, a rate and a freight lane`);
  }
  const whole = rows.filter(row => row.gap === null).length;
  if (whole < rows.length / 2) throw new Error(`Only ${whole} of ${rows.length} offers join: nothing is stored.`);
  for (const row of rows)
    await mongo
      .collection('landed_costs')
      .replaceOne({ item: row.item, supplier: row.supplier }, row, { upsert: true });
  return { offers: rows.length, whole, rates_of: date };
};
