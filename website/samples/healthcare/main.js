const axios = require('axios');
const cheerio = require('cheerio');
const { parse } = require('csv-parse/sync');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const RECALL_TO = { patients: 'patient', pharmacies: 'pharmacy', wholesalers: 'wholesaler' };
const MOST_IN_A_RANGE = 50;

/** 'MA0931/0155' and 'ma 0931-0110' are the same way of writing. */
const plainNumber = written => written.toUpperCase().replace(/^([A-Z]+)\s*(\d+)\D(\d+)$/, '$1 $2/$3');

/** '11/2027', '2028-02', '31.03.2027' and 'Jan 2029' as the last day of the month. */
function lastDay(written) {
  const [, month, year] = /(\d{1,2})[./](\d{4})$/.exec(written) ?? [];
  const date = new Date(month ? `${year}-${month.padStart(2, '0')}-01` : `${written} UTC`);
  if (Number.isNaN(date.getTime())) return null;
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).toISOString().slice(0, 10);
}

/** 'K2041 to K2044' as four batches. */
function batchesIn(written) {
  return written.split(/\s*,\s*/).flatMap(part => {
    const [, prefix, first, last] = /^(\D*)(\d+) to \D*(\d+)$/.exec(part) ?? [];
    if (!first) return [part === 'all' ? 'ALL' : part];
    const count = last - first + 1;
    if (!(count > 0 && count <= MOST_IN_A_RANGE)) throw new Error(`“${part}” is not a believable range of batches.`);
    return Array.from(
      { length: count },
      (_, step) => prefix + String(Number(first) + step).padStart(first.length, '0'),
    );
  });
}

module.exports = async ({ base_url, read_at = new Date().toISOString() }) => {
  const read = async path => (await axios.get(new URL(path, base_url).href)).data;
  const register = parse(await read('/register.csv'), { columns: true, delimiter: ';' });
  const licences = new Map(register.map(licence => [licence['Authorisation no.'], licence]));

  const list = cheerio.load(await read('/notices/'));
  const entries = list('tr:has(a)').toArray().reverse();
  const notices = new Map();
  for (const entry of entries) {
    const [date, , concerns] = list(entry).find('td').toArray();
    if (list(concerns).text() !== 'Medicine') continue;
    const path = list(entry).find('a').attr('href');
    const $ = cheerio.load(await read(path));
    const fact = name => $(`dt:contains("${name}") + dd`).text();
    const number = plainNumber(fact('Authorisation'));
    const licence = licences.get(number);
    if (!licence) echo.warn(`${path}: ${number} is not in the register`);
    const rows = new Map();
    for (const line of $('table tr:has(td)').toArray()) {
      const [batch_raw, expiry_raw] = [...$(line).find('td')].map(cell => $(cell).text());
      for (const batch of batchesIn(batch_raw)) {
        rows.set(batch, {
          notice_ref: $('h1').text(),
          published_on: new Date(`${list(date).text()} UTC`).toISOString().slice(0, 10),
          class_raw: fact('Classification'),
          recall_class: Number(/\d/.exec(fact('Classification'))?.[0]),
          recall_to: RECALL_TO[/Recall from (\w+)/.exec(fact('Action'))?.[1]] ?? null,
          product: fact('Product'),
          authorisation_number: number,
          in_register: licence !== undefined,
          inn: licence?.['Active substance'] ?? null,
          atc_code: licence?.ATC ?? null,
          dose_form: licence?.['Dose form'] ?? null,
          holder: licence?.Holder ?? null,
          batch_raw,
          batch,
          expiry_raw: /\d/.test(expiry_raw) ? expiry_raw : null,
          expires_on: lastDay(expiry_raw),
          reason: fact('Why'),
          notice_url: new URL(path, base_url).href,
          read_at,
        });
      }
    }
    if (rows.size === 0) throw new Error(`${path} names no batch: nothing is stored.`);
    notices.set($('h1').text(), [...rows.values()]);
  }

  const batches = [...notices.values()].reverse().flat();
  const unclear = batches.filter(({ recall_class, product }) => !(recall_class >= 1 && recall_class <= 4) || !product);
  if (unclear.length > 0) throw new Error(`${unclear.length} batches lack a class or a product: nothing is stored.`);
  await mongo.collection('recalled_batches').insertMany(batches);
  return { notices: notices.size, batches: batches.length };
};
