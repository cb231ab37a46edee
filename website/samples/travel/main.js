const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const DAY_MS = 86_400_000;
const ROOMS = { suite: /suite/i, family: /family/i, double: /double|twin/i };
const BOARDS = { 'Room only': 'RO', Breakfast: 'BB', 'Half board': 'HB' };
const cents = amount => Math.round(amount * 100) / 100;

/** The end of free cancellation in UTC, with the offset that the zone has on that day: summer time may start between. */
function cancelUntil(terms, arrival, timeZone) {
  const [, time, days] = /^Free until (\d\d:\d\d), (\d+) days before arrival$/.exec(terms) ?? [];
  if (!time) return null;
  const date = new Date(Date.parse(arrival) - Number(days) * DAY_MS).toISOString().slice(0, 10);
  const zone = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const { value } = zone.formatToParts(new Date(`${date}T12:00Z`)).find(({ type }) => type === 'timeZoneName');
  return new Date(`${date}T${time}:00${value.slice('GMT'.length) || 'Z'}`).toISOString().replace('.000', '');
}

module.exports = async ({ base_url, channels, properties, arrivals, nights, adults, currency, read_at }) => {
  const rows = [];
  const left_out = { other_stay: 0, members_only: 0, unclear_terms: 0 };
  const stays = properties.flatMap(property_id =>
    arrivals.flatMap(arrival => channels.map(channel => ({ property_id, arrival, channel }))),
  );
  for (const { property_id, arrival, channel } of stays) {
    const url = `${base_url}/${channel}/${property_id}/${arrival}`;
    const state = JSON.parse(
      cheerio
        .load((await axios.get(url)).data)('#state')
        .text(),
    );
    const { property, stay, rates } = state;
    if (stay.arrival !== arrival || stay.nights !== nights || stay.adults !== adults) {
      echo.warn(`${url} answers for ${stay.arrival}, ${stay.nights} nights: left out.`);
      left_out.other_stay += rates.length;
      continue;
    }
    for (const { room, board, price, mandatory, cancel, left, memberOnly } of rates) {
      const refundable = cancel.startsWith('Free until');
      const reason = memberOnly ? 'members_only' : refundable || cancel === 'Non-refundable' ? null : 'unclear_terms';
      if (reason) {
        left_out[reason] += 1;
        continue;
      }
      if (price.currency !== currency)
        throw new Error(`${url} shows ${price.currency}, not ${currency}. Nothing is stored.`);
      const shown = Number(price.amount) * (price.basis === 'night' ? nights : 1);
      const fees_extra = mandatory.reduce((sum, { amount }) => sum + amount, 0);
      const city_tax_extra = property.cityTax.inPrice ? 0 : property.cityTax.amount * nights * adults;
      const total = cents(shown + fees_extra + city_tax_extra);
      rows.push({
        property_id,
        channel,
        arrival,
        nights,
        room_class: Object.keys(ROOMS).find(name => ROOMS[name].test(room)) ?? null,
        board: BOARDS[board] ?? null,
        shown_for_stay: cents(shown),
        total,
        vs_direct_percent: null,
        adults,
        room_raw: room,
        refundable,
        cancel_until: cancelUntil(cancel, arrival, property.timeZone),
        fees_extra,
        city_tax_extra,
        currency,
        rooms_left: left,
        url,
        read_at,
      });
    }
  }

  // Alike is only what has the same room, board and terms on the same nights; then the whole price is compared.
  const keyOf = row => [row.property_id, row.arrival, row.room_class, row.board, row.refundable].join();
  const direct = new Map(rows.filter(({ channel }) => channel === 'direct').map(row => [keyOf(row), row.total]));
  for (const row of rows) {
    const own = direct.get(keyOf(row));
    const named = row.room_class && row.board;
    if (row.channel !== 'direct' && named && own)
      row.vs_direct_percent = Math.round((row.total / own - 1) * 1_000) / 10;
  }
  if (rows.length < stays.length)
    throw new Error(`${rows.length} rates for ${stays.length} stays: too few to deliver.`);
  await mongo.collection('stay_rates').insertMany(rows);
  return { stored: rows.length, ...left_out };
};
