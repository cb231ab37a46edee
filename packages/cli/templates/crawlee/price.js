/**
 * Returns the number in a price; null if it has none.
 *
 * @param {string} text such as `£1,049.50`
 */
exports.priceOf = text => {
  const [price] = text.replaceAll(',', '').match(/\d+(?:\.\d+)?/) ?? [];
  return price === undefined ? null : Number(price);
};
