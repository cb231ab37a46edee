const axios = require('axios');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const DAY_MS = 86_400_000;
const STATUSES = {
  open: 'ordered',
  confirmed: 'ordered',
  'in preparation': 'ordered',
  'back-ordered': 'late',
  shipped: 'on its way',
  'partly delivered': 'on its way',
  delivered: 'delivered',
  cancelled: 'cancelled',
};

/** Captures of the first version of the extension in the shape of the second. The signed-in name is not carried over. */
function asSecondFormat(capture) {
  if (capture.format === 2) return capture;
  if (capture.v !== 1) throw new Error(`A capture of an unknown format: ${JSON.stringify(capture).slice(0, 80)}`);
  const lines = capture.rows.map(({ no, art, name, qty, each, state, eta, date }) => {
    const [, order, line] = /^(.+)\/(\d+)$/.exec(no);
    return {
      order,
      line: Number(line),
      item: art,
      text: name,
      quantity: qty,
      price: each,
      status: state,
      delivery: eta,
      ordered: date,
    };
  });
  const { ext: extension, time: captured_at, url: page_url, shop: supplier, total: lines_stated } = capture;
  return { extension, captured_at, page_url, supplier, lines_stated, lines };
}

const iso = time => new Date(time).toISOString().slice(0, 10);

/** A day as a portal words it, counted from the moment of the capture. */
function dayOf(shown, captured_at) {
  const today = Date.parse(iso(captured_at));
  const distance = { yesterday: -1, today: 0, tomorrow: 1 }[shown.toLowerCase()] ?? /^In (\d+) days$/.exec(shown)?.[1];
  if (distance !== undefined) return iso(today + Number(distance) * DAY_MS);
  const [, day, month, year] = /^(\d+)\.(\d+)\.(\d{4})$/.exec(shown) ?? [];
  if (day) return iso(Date.UTC(year, month - 1, day));
  if (/^\d{4}-\d\d-\d\d$/.test(shown)) return shown;
  const named = /(\d+ [A-Z][a-z]{2})(?: (\d{4}))?$/.exec(shown);
  return named ? iso(Date.parse(`${named[1]} ${named[2] ?? captured_at.slice(0, 4)} UTC`)) : null;
}

/** "1,200 pcs", "EUR 42,90": a separator before exactly three digits groups thousands, any other is decimal. */
function numberOf(shown) {
  const digits = /\d[\d.,]*/
    .exec(shown)?.[0]
    .replace(/[.,](?=\d{3}(\D|$))/g, '')
    .replace(',', '.');
  return digits === undefined ? null : Number(digits);
}

module.exports = async ({ base_url }) => {
  const paths = (await axios.get(new URL('/captures/index.json', base_url).href)).data;
  const captures = await Promise.all(paths.map(async path => asSecondFormat((await axios.get(base_url + path)).data)));
  captures.sort((a, b) => a.captured_at.localeCompare(b.captured_at));

  const rows = new Map();
  for (const { extension, captured_at, page_url, supplier, lines_stated, lines } of captures) {
    const real = lines.filter(({ item }) => item !== '');
    if (real.length < lines_stated)
      echo.warn(`${supplier}: ${real.length} of ${lines_stated} lines had been scrolled into view`);
    for (const { order, line, item, text, quantity, price, status, delivery, ordered } of real) {
      const key = `${supplier} ${order} ${line}`;
      const before = rows.get(key);
      const state = STATUSES[status.toLowerCase()];
      if (!state) throw new Error(`${key} has the status "${status}", which is not on the list: nothing is stored.`);
      rows.set(key, {
        supplier,
        order_no: order,
        line_no: line,
        article: item,
        quantity: numberOf(quantity),
        unit_price: numberOf(price),
        state,
        due_on: dayOf(delivery, captured_at),
        due_raw: delivery,
        article_text: text,
        packing: /[a-z]+$/.exec(quantity)[0],
        currency: 'EUR',
        state_raw: status,
        ordered_on: dayOf(ordered, captured_at),
        times_captured: (before?.times_captured ?? 0) + 1,
        first_captured_at: before?.first_captured_at ?? captured_at,
        last_captured_at: captured_at,
        portal_page: page_url,
        extension_version: extension,
      });
    }
  }

  const broken = [...rows.values()].filter(row => row.ordered_on === null || !(row.quantity > 0));
  if (broken.length > 0) throw new Error(`${broken.length} lines lack a day or a quantity: nothing is stored.`);
  for (const row of rows.values()) {
    const { supplier, order_no, line_no } = row;
    await mongo.collection('order_lines').replaceOne({ supplier, order_no, line_no }, row, { upsert: true });
  }
  return { captures: captures.length, order_lines: rows.size };
};
