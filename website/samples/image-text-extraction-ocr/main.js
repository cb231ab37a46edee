const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const UNITS = { ctn: 'carton', bag: 'bag', can: 'can', pc: 'piece', kg: 'kilogram' };

const joined = words => words.map(({ text }) => text).join(' ') || null;
const amount = raw => (/^\d[\d ]*(,\d+)?$/.test(raw ?? '') ? Number(raw.replaceAll(' ', '').replace(',', '.')) : null);
const isoDate = raw =>
  /[a-z]/i.test(raw) ? new Date(`${raw} UTC`).toISOString().slice(0, 10) : raw.split('.').reverse().join('-');
/** The eighth digit of an article number (EAN-8) is made from the other seven. */
const hasRightCheckDigit = article =>
  /^\d{8}$/.test(article ?? '') &&
  [...article].reduce((sum, digit, at) => sum + digit * (at % 2 ? 1 : 3), 0) % 10 === 0;

/** The lines of a page in hOCR: each a list of words with their place on the picture and how sure the engine was of them. */
const linesOf = hocr => {
  const $ = cheerio.load(hocr);
  return $('.ocr_line')
    .toArray()
    .map(line =>
      $('.ocrx_word', line)
        .toArray()
        .map(word => {
          const title = $(word).attr('title');
          const [left, top, right, bottom] = /bbox (\d+) (\d+) (\d+) (\d+)/.exec(title).slice(1).map(Number);
          return { text: $(word).text(), left, top, right, bottom, confidence: Number(/x_wconf (\d+)/.exec(title)[1]) };
        }),
    );
};

module.exports = async ({ base_url, scans, trust_from, batch_forms }) => {
  const rows = [];
  for (const scan of scans) {
    const lines = linesOf((await axios.get(new URL(`/notes/${scan}.hocr`, base_url).href)).data);
    const after = label =>
      lines
        .map(joined)
        .find(text => text.startsWith(label))
        ?.slice(label.length)
        .trim();
    const [dated, positions, stated] = ['Date', 'Positions', 'Sum of quantities'].map(after);
    const head = lines.findIndex(([first]) => first.text === 'Pos');
    const foot = lines.findIndex(([first]) => first.text === 'Positions');
    if (head < 0 || foot < 0 || !dated || !stated)
      throw new Error(`${scan}: the date, the table or the sum below it was not recognised.`);
    const columns = lines[head];
    const columnOf = ({ left, right }) =>
      columns.findLast(column => column.left - 20 <= (left + right) / 2)?.text ?? 'Pos';

    const note = lines.slice(head + 1, foot).map((words, index) => {
      const cell = name => joined(words.filter(word => columnOf(word) === name));
      const [article, quantity_raw, unit_raw, batch] = ['Article', 'Quantity', 'Unit', 'Batch'].map(cell);
      const row = {
        note_no: after('Delivery note'),
        supplier: joined(lines[0]),
        position: index + 1,
        article,
        quantity_raw,
        quantity: amount(quantity_raw),
        lowest_confidence: Math.min(...words.map(({ confidence }) => confidence)),
        review: false,
        review_reason: null,
        article_valid: hasRightCheckDigit(article),
        description: cell('Description'),
        batch,
        unit_raw,
        unit: UNITS[unit_raw] ?? null,
        note_date_raw: dated,
        note_date: isoDate(dated),
        box: [words[0].left, words[0].top, words.at(-1).right, words.at(-1).bottom].join(' '),
        scan: new URL(`/notes/${scan}.png`, base_url).href,
      };
      const doubts = [
        row.lowest_confidence < trust_from && `confidence below ${trust_from}`,
        !row.article_valid && 'check digit of the article',
        row.quantity === null && 'quantity is no number',
        row.unit === null && 'unit unknown',
        batch && !new RegExp(batch_forms[row.supplier]).test(batch) && 'form of the batch',
      ];
      return { row, doubts };
    });

    const sum = note.reduce((total, { row }) => total + row.quantity, 0);
    const sumAgrees = sum === amount(stated);
    if (note.length !== Number(positions)) throw new Error(`${scan}: ${note.length} of ${positions} lines read.`);
    if (!sumAgrees) echo.warn(`${scan}: the quantities add up to ${sum}, the note says ${stated}`);
    for (const { row, doubts } of note) {
      const reasons = [...doubts, !sumAgrees && 'sum of the note'].filter(Boolean);
      rows.push({ ...row, review: reasons.length > 0, review_reason: reasons.join('; ') || null });
    }
  }
  await mongo.collection('delivery_lines').insertMany(rows);
  return { stored: rows.length, for_review: rows.filter(({ review }) => review).length };
};
