/**
 * Returns the totals with one page more.
 *
 * @param {{ pages: number, chars: number }} totals
 * @param {string} text of the page
 */
exports.withPage = ({ pages, chars }, text) => ({ pages: pages + 1, chars: chars + text.length });
