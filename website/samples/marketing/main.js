const axios = require('axios');
const { createHash } = require('node:crypto');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const DAY_MS = 86_400_000;
const OFFERS = [/(up to )?\d+ ?% (off|on)/i, /€ ?\d+ back/i, /free delivery/i, /second .* half price/i];
const KNOWN = [
  'id',
  'advertiser',
  'paid_by',
  'headline',
  'text',
  'link',
  'countries',
  'main_parameters',
  'shown',
  'recipients',
];
const DATE = /^\d{4}-\d\d-\d\d$/;

/** The same for adverts of one company whose texts differ in figures, case and punctuation only. */
function groupOf({ advertiser, text }) {
  const words = `${advertiser.name} ${text}`
    .toLowerCase()
    .replace(/\d+/g, '0')
    .match(/[\p{L}0]+/gu);
  return createHash('sha256').update(words.join(' ')).digest('hex').slice(0, 8);
}

/** '10,000 – 50,000', '< 1,000', '> 1,000,000' or nothing, as the two ends of the range. */
function range(shown) {
  const [first = null, second = null] = (shown.match(/[\d,]+/g) ?? []).map(part => Number(part.replaceAll(',', '')));
  if (shown.startsWith('<')) return [0, first];
  return [first, second];
}

module.exports = async ({ base_url, category, read_on }) => {
  const ads = new Map();
  let path = `/ads/${category}-1.json`;
  while (path) {
    const { data } = await axios.get(new URL(path, base_url).href);
    const missing = KNOWN.filter(name => data.ads.some(ad => !(name in ad)));
    if (missing.length > 0) throw new Error(`${path} has no ${missing.join(', ')} any more: nothing is stored.`);
    // The list grows at its front while it is read, so an advert can come twice.
    for (const ad of data.ads) ads.set(ad.id, ad);
    path = data.next;
  }

  const ofCompanies = [...ads.values()].filter(({ advertiser }) => advertiser.kind === 'organisation');
  echo.log(`${ads.size} adverts, ${ads.size - ofCompanies.length} of private persons left out`);
  const rows = ofCompanies.map(ad => {
    const link = new URL(ad.link);
    const offer_raw = OFFERS.map(offer => offer.exec(ad.text)?.[0]).find(Boolean) ?? null;
    const [reach_low, reach_high] = range(ad.recipients);
    return {
      ad_id: ad.id,
      advertiser: ad.advertiser.name,
      paid_by: ad.paid_by,
      headline: ad.headline,
      message: ad.text,
      message_group: groupOf(ad),
      wordings: ofCompanies.filter(other => groupOf(other) === groupOf(ad)).length,
      landing_host: link.hostname.replace(/^www\./, ''),
      landing_path: link.pathname,
      campaign_tag: link.searchParams.get('utm_campaign'),
      offer_raw,
      discount_percent: /%/.test(offer_raw) ? Number(/\d+/.exec(offer_raw)[0]) : null,
      countries: ad.countries.replaceAll(', ', ' '),
      targeting: ad.main_parameters === 'No selection' ? null : ad.main_parameters,
      first_shown: ad.shown.from,
      last_shown: ad.shown.to,
      days_shown: (Date.parse(ad.shown.to ?? read_on) - Date.parse(ad.shown.from)) / DAY_MS + 1,
      reach_low,
      reach_high,
      read_on,
    };
  });

  const wrong = rows.filter(
    ({ first_shown, days_shown, reach_low, reach_high }) =>
      !DATE.test(first_shown) || days_shown < 1 || (reach_high !== null && reach_low >= reach_high),
  );
  if (wrong.length > 0) throw new Error(`Dates or reach cannot be right: ${wrong.map(row => row.ad_id).join(', ')}.`);
  await mongo.collection('adverts').insertMany(rows);
  return { adverts: rows.length, messages: new Set(rows.map(row => row.message_group)).size };
};
