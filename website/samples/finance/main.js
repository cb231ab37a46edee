const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

/** ISO 17442: letters count from 10, and the whole number leaves 1 when divided by 97. */
const leiIsSound = lei => BigInt([...lei].map(sign => Number.parseInt(sign, 36)).join('')) % 97n === 1n;

/** Readers of the number formats that the reports name beside each figure. */
const FORMATS = {
  'num-dot-decimal': text => Number(text.replaceAll(',', '')),
  'num-comma-decimal': text => Number(text.replaceAll('.', '').replace(',', '.')),
  'fixed-zero': () => 0,
};

/** Shifts the decimal point in text, since 3402.9 * 10 ** 6 is not always a whole number. */
const scaled = (number, power) => Number(`${number}e${power}`);

function factsOf(report, filing, concepts) {
  const $ = cheerio.load(report, { xml: true });
  const textIn = (node, tag) => node.find(`xbrli\\:${tag}`).first().text() || null;
  return $('ix\\:nonFraction')
    .toArray()
    .map(node => [$(node), $(node).attr('name').split(':')[1]])
    .filter(([fact, concept]) => concepts.includes(concept) && fact.attr('xsi:nil') !== 'true')
    .map(([fact, concept]) => {
      const context = $(`[id="${fact.attr('contextRef')}"]`);
      if (textIn(context, 'identifier') !== filing.lei)
        throw new Error(`${filing.id}: a figure belongs to ${textIn(context, 'identifier')}, not to ${filing.lei}.`);
      const read = FORMATS[fact.attr('format').split(':')[1]];
      if (!read)
        throw new Error(`${filing.id}: the number format ${fact.attr('format')} is not known. Nothing is stored.`);
      const amount = scaled(read(fact.text()), fact.attr('scale') ?? 0);
      return {
        concept,
        label: fact.closest('tr').find('th').text(),
        dimension: context.find('xbrldi\\:explicitMember').text() || null,
        period_start: textIn(context, 'startDate'),
        period_end: textIn(context, 'endDate') ?? textIn(context, 'instant'),
        value_raw: fact.text(),
        value: fact.attr('sign') === '-' ? -amount : amount,
        unit: $(`[id="${fact.attr('unitRef')}"]`)
          .find('xbrli\\:measure')
          .map((_, unit) => $(unit).text().split(':')[1])
          .get()
          .join('/'),
        decimals: fact.attr('decimals') === 'INF' ? null : Number(fact.attr('decimals')),
      };
    });
}

module.exports = async ({ base_url, concepts }) => {
  const { data: filings } = await axios.get(`${base_url}/filings.json`);
  filings.sort((a, b) => Date.parse(a.published) - Date.parse(b.published));
  const known = new Map();
  const rows = [];
  for (const filing of filings) {
    if (!leiIsSound(filing.lei)) throw new Error(`${filing.id}: ${filing.lei} is not an LEI. Nothing is stored.`);
    const report_url = base_url + filing.path;
    const facts = factsOf((await axios.get(report_url)).data, filing, concepts);
    for (const fact of facts) {
      const key = [filing.lei, fact.concept, fact.dimension, fact.period_end].join();
      const before = known.get(key);
      const other = { Assets: 'EquityAndLiabilities', EquityAndLiabilities: 'Assets' }[fact.concept];
      const twin = facts.find(
        ({ concept, dimension, period_end }) =>
          concept === other && dimension === fact.dimension && period_end === fact.period_end,
      );
      const doubt = twin && twin.value !== fact.value ? `differs from ${other}` : null;
      if (doubt) echo.warn(`${filing.id}: ${fact.concept} ${fact.value} ${doubt}`);
      const { concept, period_end, value_raw, value, unit, ...rest } = fact;
      rows.push({
        issuer: filing.issuer,
        concept,
        period_end,
        value_raw,
        value,
        unit,
        published_at: new Date(filing.published).toISOString().replace('.000', ''),
        restated: before !== undefined && before !== value,
        value_before: before === value ? null : (before ?? null),
        lei: filing.lei,
        isin: filing.isin,
        filing_id: filing.id,
        supersedes: filing.supersedes,
        ...rest,
        doubt,
        report_url,
      });
      known.set(key, fact.value);
    }
    echo.log(`${filing.id} ${filing.issuer}: ${facts.length} figures`);
  }
  rows.sort((a, b) => b.restated - a.restated || b.published_at.localeCompare(a.published_at));
  await mongo.collection('reported_figures').insertMany(rows);
  return { filings: filings.length, figures: rows.length, restated: rows.filter(({ restated }) => restated).length };
};
