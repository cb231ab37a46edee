const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const AGENT = 'trawl-sample (+https://plugmere-data.example/about-this-reader)';

module.exports = async ({ base_url, known_schema, read_at }) => {
  const get = async path => (await axios.get(new URL(path, base_url).href, { headers: { 'User-Agent': AGENT } })).data;

  // What a code means is read from the app's own settings. A new schema may have changed them, so it is not guessed at.
  const { schema, stations, operators, plugs, states, tariffs } = await get('/v3/config.json');
  if (schema !== known_schema) throw new Error(`The app answers schema ${schema}; this skript knows ${known_schema}.`);
  const listing = cheerio.load(await get('/apps/plugmere.html'));
  const app_version = JSON.parse(listing('script[type="application/ld+json"]').text()).softwareVersion;

  // Keyed by connector: one that moves while pages are read comes twice, and the later answer holds.
  const rows = new Map();
  const seen = new Set();
  let unknown = 0;
  for (let path = '/v3/stations/first.json', page; path; path = page.next) {
    page = await get(path);
    for (const station of page.items) {
      seen.add(station.id);
      if (!station.vis) continue;
      for (const { e, p, w, s, t, tf } of station.evse) {
        const tariff = tariffs[tf];
        if (!states[s]) unknown += 1;
        rows.set(e, {
          evse_id: e,
          station: station.n.replace(/\s+/g, ' '),
          operator: operators[station.op],
          plug: plugs[p],
          power_kw: w / 1000,
          status: states[s] ?? null,
          // Most operators count milliseconds, one counts seconds. Before 2001 there was nothing to charge.
          status_since: new Date(t < 1e12 ? t * 1000 : t).toISOString(),
          price_per_kwh: tariff ? tariff.kwh / 100 : null,
          session_fee: tariff ? tariff.fee / 100 : null,
          currency: tariff?.cur ?? null,
          latitude: station.lat ? station.lat / 1e7 : null,
          longitude: station.lon ? station.lon / 1e7 : null,
          open_24h: station.h24 === 1,
          status_code: s,
          plug_code: p,
          api_schema: schema,
          app_version,
          endpoint: new URL(path, base_url).href,
          read_at,
        });
      }
    }
    echo.log(`${path}: ${rows.size} connectors so far`);
  }

  if (seen.size !== stations) echo.warn(`The app counts ${stations} stations, ${seen.size} were listed.`);
  if (unknown > rows.size * 0.1)
    throw new Error(`${unknown} of ${rows.size} states have no meaning in the app's settings.`);
  const late = [...rows.values()].filter(({ status_since }) => status_since > new Date(read_at).toISOString());
  if (late.length > 0) throw new Error(`${late.length} states are from after the reading: a clock or a unit is wrong.`);
  for (const row of rows.values()) {
    await mongo.collection('connectors').replaceOne({ evse_id: row.evse_id }, row, { upsert: true });
  }
  return { connectors: rows.size, stations: seen.size, unknown_states: unknown };
};
