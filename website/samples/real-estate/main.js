const axios = require('axios');
const { parse } = require('csv-parse/sync');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const M2_PER_SQ_FT = 0.092903;
const DAY_MS = 86_400_000;
const CLEAR_M2 = 1;

/** 'LINDENGASSE', 'Lindeng. 14/3': the street alone. The number of the house can lead to who lives there. */
function streetOf(address) {
  const words = address
    .toLowerCase()
    .replace(/\s+\d.*$/, '')
    .replace(/g\.$/, 'gasse')
    .replace(/str\.$/, 'straße');
  return words.replace(/(^|\s)\p{L}/gu, letter => letter.toUpperCase());
}

/** '€ 1.180.000', '420 000 EUR', '61,5 m²': a dot or space stands between thousands, a comma before decimals. */
const figure = shown => Number(shown.replace(/[^\d,]/g, '').replace(',', '.')) || null;

function dwellingOf({ no, address, district, rooms, floor, size, energy, price }, office, base_url) {
  const area = /sq ft/.test(size) ? figure(size) * M2_PER_SQ_FT : figure(size.replace(/m2$/, 'm²'));
  return {
    listing_ids: [`${office}-${no}`],
    offices: 1,
    district,
    street: streetOf(address),
    rooms: Number(rooms.replace('½', '.5')),
    floor: floor === 'ground' ? 0 : floor && Number(floor),
    area_raw: size,
    area_m2: Math.round(area * 10) / 10,
    energy_class: /^[A-H]\+*$/.test(energy) ? energy : null,
    asking_raw: price,
    asking_price: figure(price),
    currency: 'EUR',
    listing_url: new URL(`/l/${office}-${no}`, base_url).href,
  };
}

const sameDwelling = (one, other) =>
  one.street === other.street &&
  one.rooms === other.rooms &&
  one.floor === other.floor &&
  Math.abs(one.area_m2 - other.area_m2) <= CLEAR_M2;

function eventOf(now, before) {
  if (!before) return 'new';
  if (!now.asking_price || !before.asking_price || now.asking_price === before.asking_price) return 'unchanged';
  return now.asking_price < before.asking_price ? 'reduced' : 'raised';
}

module.exports = async ({ base_url, offices, read_on }) => {
  const read = async path => (await axios.get(new URL(path, base_url).href)).data;
  const cast = value => (value === '' ? null : /^-?[\d.]+$/.test(value) ? Number(value) : value);
  const delivered = parse(await read('/yesterday.csv'), { columns: true, cast });
  const yesterday = delivered.filter(({ event }) => event !== 'withdrawn');

  const today = [];
  for (const office of offices) {
    const { objects } = await read(`/offices/${office}.json`);
    const forSale = objects.filter(({ type }) => type === 'sale');
    if (forSale.length === 0) throw new Error(`Office ${office} lists nothing for sale: nothing is stored.`);
    for (const dwelling of forSale.map(object => dwellingOf(object, office, base_url))) {
      const twin = today.find(other => sameDwelling(dwelling, other));
      if (!twin) {
        today.push(dwelling);
        continue;
      }
      echo.log(`${dwelling.listing_ids} is ${twin.listing_ids} again`);
      twin.listing_ids.push(...dwelling.listing_ids);
      twin.offices = new Set(twin.listing_ids.map(id => id.split('-')[0])).size;
      twin.energy_class ??= dwelling.energy_class;
      const { asking_price, asking_raw, listing_url } = dwelling;
      if (asking_price && !(asking_price >= twin.asking_price))
        Object.assign(twin, { asking_price, asking_raw, listing_url });
    }
  }
  const wrong = today.filter(
    ({ area_m2, asking_price: price }) => price && !(price / area_m2 > 500 && price / area_m2 < 25000),
  );
  if (wrong.length > 0) throw new Error(`No believable price per m²: ${wrong.map(({ listing_ids }) => listing_ids)}.`);

  const row = (now, before, event) => ({
    dwelling_key: before?.dwelling_key ?? now.listing_ids[0],
    listing_ids: [now.listing_ids].flat().join(' '),
    offices: now.offices,
    district: now.district,
    street: now.street,
    rooms: now.rooms,
    floor: now.floor,
    area_raw: now.area_raw,
    area_m2: now.area_m2,
    energy_class: now.energy_class,
    asking_raw: now.asking_raw,
    asking_price: now.asking_price,
    currency: now.currency,
    price_per_m2: now.asking_price && Math.round(now.asking_price / now.area_m2),
    event,
    price_before: before?.asking_price ?? null,
    listed_again: Boolean(before) && !before.listing_ids.split(' ').some(id => now.listing_ids.includes(id)),
    first_seen: before?.first_seen ?? read_on,
    days_listed: (Date.parse(read_on) - Date.parse(before?.first_seen ?? read_on)) / DAY_MS + 1,
    listing_url: now.listing_url,
  });
  const gone = yesterday.filter(before => !today.some(now => sameDwelling(now, before)));
  const rows = today.map(now => {
    const before = yesterday.find(each => sameDwelling(now, each)) ?? null;
    return row(now, before, eventOf(now, before));
  });
  rows.push(...gone.map(before => row(before, before, 'withdrawn')));
  await mongo.collection('dwellings').insertMany(rows);
  return { dwellings: rows.length, withdrawn: gone.length };
};
