const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

/** The first line of a lot, as `pdftotext -layout` prints it. The places of its groups are the columns of the lines below. */
const LOT = /^(\d+)\s+(.+?)\s+(\d{8}-)\s+(.+?)\s+(\d+)\s+([\d.]+,\d\d|-)(?: \*)?$/d;
const euros = raw => (raw === '-' ? null : Number(raw.replaceAll('.', '').replace(',', '.')));

/** Lots with the page and line that they start on. Text that wrapped inside a cell is put back into its cell. */
const lotsOf = text => {
  const lots = [];
  let open = null;
  text.split('\f').forEach((page, pageIndex) => {
    page.split('\n').forEach((line, lineIndex) => {
      const found = LOT.exec(line);
      if (found) {
        const [number, title, cpv, contractor, tenders, value] = found.slice(1);
        const starts = [2, 3, 4, 5, 6].map(group => found.indices[group][0]);
        open = {
          number,
          cells: [title, cpv, contractor, tenders, value],
          starts,
          page: pageIndex + 1,
          line: lineIndex + 1,
        };
        lots.push(open);
      } else if (open && /^\s{3,}\S/.test(line)) {
        for (const { 0: piece, index } of line.matchAll(/\S+(?: \S+)*/g)) {
          const column = open.starts.findLastIndex(start => start <= index + 1);
          open.cells[column] += ` ${piece}`;
        }
      } else open = null;
    });
  });
  return lots;
};

module.exports = async ({ base_url }) => {
  const $ = cheerio.load((await axios.get(new URL('/notices/', base_url).href)).data);
  const documents = new Set($('a[href$=".pdf"]').map((_, link) => new URL($(link).attr('href'), base_url).href));
  const rows = [];
  const unread = [];
  for (const document of documents) {
    const text = (await axios.get(document.replace(/pdf$/, 'txt'))).data;
    const after = label => text.match(new RegExp(`^${label}:?\\s+(.+)$`, 'm'))?.[1] ?? null;
    const lots = lotsOf(text).map(({ cells, ...lot }) => ({
      ...lot,
      cells: cells.map(cell => cell.replace('- ', '-')),
    }));
    if (lots.length === 0) {
      echo.warn(`${document}: ${text.trim() ? 'no lots were found' : 'a picture without a text layer'}`);
      unread.push(document);
      continue;
    }
    if (lots.some(({ number }, index) => Number(number) !== index + 1))
      throw new Error(`${document}: a lot is missing.`);
    const sum = lots.reduce((total, { cells }) => total + euros(cells[4].replace(' *', '')), 0);
    const total = euros(after('Total value of all lots without VAT: EUR') ?? '-');
    if (sum !== total) echo.warn(`${document}: the lots add up to ${sum}, the notice says ${total}`);
    for (const { number, cells, page, line } of lots) {
      const [lot_title, cpv, contractor, tenders, value_raw] = cells;
      const awarded = !contractor.startsWith('no award');
      rows.push({
        notice_no: after('Contract award notice'),
        buyer: after('Contracting authority'),
        lot: Number(number),
        lot_title,
        cpv,
        awarded,
        contractor: awarded ? contractor : null,
        no_award_reason: awarded ? null : contractor.replace('no award: ', ''),
        tenders: Number(tenders),
        value_raw,
        value: euros(value_raw.replace(' *', '')),
        currency: 'EUR',
        footnote: value_raw.endsWith('*') ? after('\\*') : null,
        duration_months: Number.parseInt(after('Duration'), 10),
        published_raw: after('Published'),
        published: new Date(`${after('Published')} UTC`).toISOString().slice(0, 10),
        total_agrees: sum === total,
        document,
        page,
        line,
      });
    }
  }
  await mongo.collection('lots').insertMany(rows);
  return { stored: rows.length, unread };
};
