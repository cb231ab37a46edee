const CURRENCIES = { '£': 'GBP', '€': 'EUR', US$: 'USD', kr: 'NOK' };

/** Parses `£1,249.00`, `1.249,00 €`, `kr 1 249,50` or `£45` to a number and an ISO 4217 currency code. */
exports.readPrice = text => {
  if (!text) return { price: null, currency: null };
  const sign = Object.keys(CURRENCIES).find(candidate => text.includes(candidate));
  // A dot or comma before the last two digits starts the decimals; all others separate thousands.
  const [, whole, decimals = '00'] = /^(.+?)(?:[.,](\d\d))?$/.exec(text.replace(/[^\d.,]/g, ''));
  return { price: Number(`${whole.replace(/[.,]/g, '')}.${decimals}`), currency: CURRENCIES[sign] ?? null };
};

/** Parses `2024-03-03`, `3 March 2024` or `Mar 3, 2024` to midnight UTC, or null. */
exports.readDate = text => {
  if (!text) return null;
  const date = new Date(/^\d{4}-/.test(text) ? text : `${text} UTC`);
  return Number.isNaN(date.getTime()) ? null : date;
};

/** Returns the first number in a text: 4.3 for `4.3 out of 5 stars`, 12 for `(12 reviews)`. */
exports.readNumber = text => {
  const found = /\d+(\.\d+)?/.exec(text ?? '');
  return found ? Number(found[0]) : null;
};

/** Parses `In stock (22 available)`, `Only 3 left`, `Sold out` or `Back order: 2–3 weeks`. */
exports.readStock = text => {
  if (!text) return { stock: null, stock_count: null };
  if (text.startsWith('In stock')) return { stock: 'in_stock', stock_count: exports.readNumber(text) };
  if (text.startsWith('Only')) return { stock: 'low_stock', stock_count: exports.readNumber(text) };
  return { stock: text === 'Sold out' ? 'sold_out' : 'back_order', stock_count: null };
};
