const axios = require('axios');
const cheerio = require('cheerio');
const { parse } = require('csv-parse/sync');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const TIMES_A_YEAR = { YEAR: 1, WEEK: 52 };
const FOURTEEN = /fourteen times a year/i;
const LEVELS = [
  [/\b(senior|lead|principal)\b/i, 'senior'],
  [/\b(junior|trainee|apprentice)\b/i, 'junior'],
];
const isDate = text => /^\d{4}-\d\d-\d\d/.test(text ?? '');
const list = value => [value ?? []].flat();

/** Pay of a posting as two ends and a unit. An employer may give one value, a range, or nothing. */
function payOf({ baseSalary }) {
  const value = baseSalary?.value;
  if (value === undefined) return { low: null, high: null, unit: null, currency: null };
  const { minValue = value, maxValue = value, unitText = null } = typeof value === 'object' ? value : {};
  return { low: Number(minValue), high: Number(maxValue), unit: unitText, currency: baseSalary.currency };
}

module.exports = async ({ base_url, read_on, hours_per_year }) => {
  const read = async path => (await axios.get(new URL(path, base_url).href)).data;
  const occupations = parse(await read('/occupations.csv'), { columns: true });
  const sitemap = cheerio.load(await read('/sitemap.xml'), { xml: true });
  const paths = [...sitemap('loc')].map(loc => new URL(sitemap(loc).text()).pathname);

  const positions = new Map();
  for (const path of paths.filter(each => each.startsWith('/jobs/'))) {
    const $ = cheerio.load(await read(path));
    const source = $('script[type="application/ld+json"]').text();
    if (!source) {
      echo.log(`${path} is no posting`);
      continue;
    }
    const posting = JSON.parse(source);
    const { low, high, unit, currency } = payOf(posting);
    const months = FOURTEEN.test($('body').text()) ? 14 : 12;
    const perYear = { ...TIMES_A_YEAR, MONTH: months, HOUR: hours_per_year }[unit];
    const believable = low !== null && low <= high && perYear !== undefined;
    if (low !== null && !believable) echo.warn(`${path}: pay of ${low} to ${high} per ${unit} is not put into a year`);
    const occupation = occupations.find(({ words }) => new RegExp(`\\b(${words})\\b`, 'i').test(posting.title));
    const places = list(posting.jobLocation).map(({ address }) => address);
    const employer = posting.hiringOrganization.name;
    const reference = posting.identifier.value;
    const key = `${employer} ${reference}`;
    const complete = isDate(posting.datePosted);
    // The same position on two pages: the page that has a date is the better one.
    if (positions.has(key) && !complete) continue;
    positions.set(key, {
      employer,
      reference,
      title_raw: posting.title,
      title: posting.title.replace(/\s*\((m|f|d|w|x)(\/(m|f|d|w|x))+\)/i, ''),
      isco_08: occupation?.isco_08 ?? null,
      occupation: occupation?.title ?? null,
      seniority: LEVELS.find(([pattern]) => pattern.test(posting.title))?.[1] ?? null,
      city: places.map(({ addressLocality }) => addressLocality).join('; '),
      country: places[0].addressCountry,
      remote: posting.jobLocationType === 'TELECOMMUTE',
      employment: list(posting.employmentType).join(' ').toLowerCase().replaceAll('_', '-'),
      hours_a_week: Number(/[\d.]+/.exec(posting.workHours)?.[0]) || null,
      pay_raw: low === null ? null : `${[...new Set([low, high])].join(' to ')} ${currency}, ${unit ?? 'no unit'}`,
      pay_year_low: believable ? low * perYear : null,
      pay_year_high: believable ? high * perYear : null,
      currency,
      posted_on: complete ? posting.datePosted : null,
      closes_on: posting.validThrough?.slice(0, 10) ?? null,
      open: !(posting.validThrough?.slice(0, 10) < read_on),
      page: new URL(path, base_url).href,
    });
  }

  const rows = [...positions.values()];
  const nameless = rows.filter(row => !row.title || !row.city || /@|\+\d{2}/.test(Object.values(row).join(' ')));
  if (nameless.length > 0)
    throw new Error(`${nameless.length} positions lack a title or place, or hold a telephone or e-mail address.`);
  await mongo.collection('positions').insertMany(rows);
  return { positions: rows.length, open: rows.filter(({ open }) => open).length };
};
