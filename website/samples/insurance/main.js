const axios = require('axios');
const cheerio = require('cheerio');
const { parse } = require('csv-parse/sync');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const PERILS = {
  storm: { warned: /storm|gale|hurricane/i, column: 'gust_ms', unit: 'm/s', most: 75 },
  rain: { warned: /rain/i, column: 'rain_mm', unit: 'mm', most: 500 },
};
const FARTHEST_KM = 25;
const BEAUFORT_FROM_MS = [0.3, 1.6, 3.4, 5.5, 8, 10.8, 13.9, 17.2, 20.8, 24.5, 28.5, 32.7];

const utc = written => new Date(written).toISOString().replace('.000', '');

function kmBetween(one, other) {
  const radians = degrees => (degrees * Math.PI) / 180;
  const [dLat, dLon] = [radians(other.lat - one.lat), radians(other.lon - one.lon)];
  const a =
    Math.sin(dLat / 2) ** 2 + Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * Math.sin(dLon / 2) ** 2;
  return 12742 * Math.asin(Math.sqrt(a));
}

/** The warnings in force in the end: a message takes away those that it refers to, and a Cancel leaves nothing. */
async function warnings(read) {
  const feed = cheerio.load(await read('/alerts/feed.xml'), { xml: true });
  const inForce = new Map();
  for (const path of [...feed('entry link')].map(link => feed(link).attr('href'))) {
    const $ = cheerio.load(await read(path), { xml: true });
    const said = selector => $(selector).first().text();
    if (said('status') !== 'Actual') {
      echo.log(`${path} is an ${said('status').toLowerCase()}`);
      continue;
    }
    const earlier = said('references')
      .split(' ')
      .filter(Boolean)
      .map(reference => reference.split(',')[1]);
    const messages = 1 + earlier.reduce((sum, id) => sum + (inForce.get(id)?.messages ?? 0), 0);
    for (const id of earlier) inForce.delete(id);
    if (said('msgType') === 'Cancel') continue;
    const places = [...$('geocode value')].map(value => $(value).text());
    const [onset, expires] = [utc(said('onset')), utc(said('expires'))];
    if (onset >= expires) throw new Error(`${path} ends before it begins: nothing is stored.`);
    inForce.set(said('identifier'), {
      id: said('identifier'),
      event: said('event'),
      level: said('severity'),
      onset,
      expires,
      places,
      messages,
      path,
    });
  }
  return [...inForce.values()];
}

module.exports = async ({ base_url, places, days, utc_offset, thresholds, read_at }) => {
  const read = async path => (await axios.get(new URL(path, base_url).href)).data;
  const inForce = await warnings(read);
  const readings = parse(await read('/stations.csv'), { columns: true, delimiter: ';', comment: '#' });

  const evidence = (place, day, peril) => {
    const { warned, column, unit, most } = PERILS[peril];
    const [from, to] = ['00:00:00', '23:59:59'].map(time => utc(`${day}T${time}${utc_offset}`));
    const warning = inForce.find(
      each => warned.test(each.event) && each.places.includes(place.code) && each.onset <= to && each.expires > from,
    );
    const near = readings
      .map(reading => ({ ...reading, value: Number(reading[column].replace(',', '.')), km: kmBetween(place, reading) }))
      .filter(({ day: of, value, km }) => of === day && value >= 0 && km <= FARTHEST_KM)
      .sort((one, other) => one.km - other.km)[0];
    if (near?.value > most) throw new Error(`${near.station} measured ${near.value} ${unit}: nothing is stored.`);
    return {
      place_code: place.code,
      place: place.name,
      day,
      peril,
      warning_id: warning?.id ?? null,
      warning_event: warning?.event ?? null,
      warning_level: warning?.level ?? null,
      warning_onset: warning?.onset ?? null,
      warning_expires: warning?.expires ?? null,
      warning_messages: warning?.messages ?? 0,
      station_id: near?.station ?? null,
      station_km: near ? Math.round(near.km * 10) / 10 : null,
      measured_raw: near?.[column] ?? null,
      measured: near?.value ?? null,
      unit,
      gust_beaufort: near && peril === 'storm' ? BEAUFORT_FROM_MS.filter(limit => near.value >= limit).length : null,
      threshold: thresholds[peril],
      threshold_met: near ? near.value >= thresholds[peril] : null,
      read_at,
    };
  };

  const rows = places.flatMap(place =>
    days.flatMap(day => Object.keys(PERILS).map(peril => evidence(place, day, peril))),
  );
  for (const { event, path } of inForce)
    if (!Object.values(PERILS).some(({ warned }) => warned.test(event)))
      echo.warn(`${path}: ${event} is no peril known here`);
  const contrary = rows.filter(row => row.threshold_met && !row.warning_id).length;
  if (contrary > 0) echo.warn(`${contrary} rows exceed a threshold without a warning: to be looked at`);
  await mongo.collection('hazard_days').insertMany(rows);
  return { rows: rows.length, met: rows.filter(row => row.threshold_met).length, contrary };
};
