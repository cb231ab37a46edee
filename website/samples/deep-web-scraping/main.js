const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const isoDate = raw =>
  /\d{4}-\d\d-\d\d/.exec(raw)?.[0] ?? (/(\d\d)[./](\d\d)[./](\d{4})/.exec(raw)?.slice(1).reverse().join('-') || null);

module.exports = async ({ base_url, activities }) => {
  const open = async path => cheerio.load((await axios.get(new URL(path, base_url).href)).data);
  const form = await open('/register/search');
  const choices = field =>
    form(`select[name="${field}"] option`)
      .map((_, option) => form(option).attr('value'))
      .get();
  const questions = choices('district')
    .filter(Boolean)
    .map(district => ({ district, year: 'any' }));
  const narrower = choices('year').filter(year => year !== 'any');

  const permits = new Map();
  while (questions.length > 0) {
    const { district, year } = questions.shift();
    const asked = `district ${district}, year ${year}`;
    let path = form('form').attr('data-answers').replace('{district}', district).replace('{year}', year);
    const found = new Set();
    let hits = 0;
    let capped = false;
    while (path) {
      const $ = await open(path);
      hits = Number.parseInt($('.count').text(), 10);
      capped = $('.count').text().includes('narrow your search');
      if (capped) break;
      for (const tr of $('tr:has(td)').toArray()) {
        const [no, holder, code, place, status_raw, granted_raw, until, capacity_raw] = $('td', tr)
          .map((_, td) => $(td).text().trim())
          .get();
        const [site, municipality] = place.split(/, (?=[^,]+$)/);
        const isPerson = holder === '(natural person)';
        const [, size, capacity_unit] = /^([\d ]+) (\D.*)$/.exec(capacity_raw);
        found.add(no);
        permits.set(no, {
          permit_no: no,
          holder: isPerson ? null : holder,
          activity: activities[code] ?? null,
          site: isPerson ? null : site,
          municipality,
          status: status_raw.replace(/ [\d.]+$/, ''),
          granted: isoDate(granted_raw),
          valid_until: isoDate(until),
          capacity: Number(size.replaceAll(' ', '')),
          capacity_unit,
          capacity_raw,
          activity_code: code,
          holder_is_person: isPerson,
          district,
          status_raw,
          ended_on: isoDate(status_raw),
          unlimited: until === 'unlimited',
          granted_raw,
          found_by: asked,
          url: new URL($('a', tr).attr('href'), base_url).href,
        });
      }
      path = $('a[rel="next"]').attr('href');
    }
    if (capped) {
      if (year !== 'any') throw new Error(`${asked}: ${hits} hits cannot be listed; a third question is needed.`);
      questions.push(...narrower.map(each => ({ district, year: each })));
    } else if (found.size !== hits)
      throw new Error(`${asked}: the register counts ${hits} permits, ${found.size} were listed.`);
    echo.log(`${asked}: ${capped ? `${hits} hits are too many to be shown, asking by year` : `${hits} permits`}`);
  }

  const held = Number(form('.size b').text());
  if (permits.size !== held)
    throw new Error(`The register holds ${held} permits, ${permits.size} were found: nothing is stored.`);
  const undated = [...permits.values()].find(({ granted }) => !granted);
  if (undated) throw new Error(`${undated.permit_no}: "${undated.granted_raw}" is no date that this skript knows.`);
  for (const permit of permits.values()) {
    await mongo.collection('permits').replaceOne({ permit_no: permit.permit_no }, permit, { upsert: true });
  }
  return { permits: permits.size };
};
