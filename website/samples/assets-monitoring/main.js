const axios = require('axios');
const cheerio = require('cheerio');
const { parse } = require('csv-parse/sync');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const rounded = (value, digits) => (value === null ? null : Number(value.toFixed(digits)));
const percent = (value, from) => (value === null || from === null ? null : rounded((value / from - 1) * 100, 2));

/** ISO 6166: letters become numbers from 10, every second digit from the right counts twice, the sum ends in 0. */
const isIsin = code => {
  const digits = [...[...code].map(letter => Number.parseInt(letter, 36)).join('')].reverse();
  const sum = digits.map((digit, at) => (at % 2 ? digit * 2 : Number(digit))).map(each => (each > 9 ? each - 9 : each));
  return sum.reduce((total, each) => total + each, 0) % 10 === 0;
};

module.exports = async ({ base_url, limit_percent, oldest_s, largest_spread_percent, exchange_offset, read_at }) => {
  const get = async path => (await axios.get(new URL(path, base_url).href)).data;
  const csv = async path => parse(await get(path), { columns: true, comment: '#' });
  const rows = [];
  /** Quotes of one asset, one for each source that has it. They must agree before there is a quote to deliver. */
  const add = (asset_class, { quotes, previous, ...asset }) => {
    const values = quotes.map(({ value }) => value).filter(value => value !== null);
    const spread_percent = values.length > 1 ? percent(Math.max(...values), Math.min(...values)) : null;
    const disputed = spread_percent > largest_spread_percent;
    const middle = values.reduce((total, value) => total + value, 0) / values.length;
    const quote = values.length === 0 || disputed ? null : rounded(middle, 6);
    const observed = Math.min(...quotes.map(({ at }) => at));
    const age_s = Math.round((Date.parse(read_at) - observed) / 1000);
    if (age_s < 0) throw new Error(`${asset.symbol} was quoted ${-age_s} s after the reading: a time zone is wrong.`);
    const old = age_s > oldest_s[asset_class] && 'stale';
    const status = values.length === 0 ? 'suspended' : disputed ? 'disputed' : old || 'good';
    const change_percent = percent(quote, previous);
    rows.push({
      asset_class,
      symbol: asset.symbol,
      quote,
      currency: 'EUR',
      change_percent,
      limit_percent: limit_percent[asset_class],
      alert: status === 'good' && Math.abs(change_percent) >= limit_percent[asset_class],
      status,
      age_s,
      name: asset.name,
      isin: asset.isin ?? null,
      previous: rounded(previous, 6),
      split_ratio: asset.split_ratio ?? null,
      volume: asset.volume ?? null,
      sources: quotes.length,
      spread_percent,
      quote_raw: quotes.map(({ raw }) => raw).join(' | ') || null,
      observed_at: new Date(observed).toISOString(),
      source: new URL(asset.path, base_url).href,
      read_at,
    });
  };

  const actions = await csv('/exchange/actions.csv');
  for (const { isin, ticker, name, last, previous_close, volume, traded } of await csv('/exchange/close.csv')) {
    if (!isIsin(isin)) {
      echo.warn(`${ticker}: ${isin} has a wrong check digit and is left out.`);
      continue;
    }
    const split = actions.find(each => each.isin === isin && each.kind === 'split' && read_at.startsWith(each.ex_date));
    const at = Date.parse(`${traded.replace(' ', 'T')}${exchange_offset}`);
    const quotes = [{ value: last ? Number(last) : null, raw: last, at }];
    const split_ratio = split ? Number(split.ratio) : null;
    const previous = Number(previous_close) / (split_ratio ?? 1);
    add('stock', {
      symbol: ticker,
      name,
      isin,
      quotes,
      previous,
      split_ratio,
      volume: Number(volume),
      path: '/exchange/close.csv',
    });
  }

  const $ = cheerio.load(await get('/rates/daily.xml'), { xml: true });
  const rate = node => Number($(node).text().replace(',', '.')) / Number($(node).attr('per'));
  for (const node of $('day').first().find('rate').toArray()) {
    const symbol = $(node).attr('code');
    const before = $('day').eq(1).find(`rate[code="${symbol}"]`)[0];
    const at = Date.parse(`${$('day').first().attr('date')}T14:15${exchange_offset}`);
    const quotes = [{ value: rate(node), raw: `${$(node).text()} for ${$(node).attr('per')}`, at }];
    add('forex', {
      symbol,
      name: $(node).attr('name'),
      quotes,
      previous: before ? rate(before) : null,
      path: '/rates/daily.xml',
    });
  }

  const second = await get('/coins/lanternbook.json');
  for (const { pair, last, open_24h, volume, t } of await get('/coins/quayside.json')) {
    const other = second[pair.replace('-', '')];
    const quotes = [{ value: Number(last), raw: last, at: t }];
    if (other) quotes.push({ value: other.c, raw: String(other.c), at: other.at * 1000 });
    add('crypto', {
      symbol: pair,
      name: pair,
      quotes,
      previous: Number(open_24h),
      volume: Number(volume),
      path: '/coins/quayside.json',
    });
  }

  const good = rows.filter(({ status }) => status === 'good');
  if (good.length < rows.length * 0.6)
    throw new Error(`Only ${good.length} of ${rows.length} quotes are good: nothing is stored.`);
  await mongo.collection('quotes').insertMany(rows);
  return { stored: rows.length, alerts: good.filter(({ alert }) => alert).map(({ symbol }) => symbol) };
};
