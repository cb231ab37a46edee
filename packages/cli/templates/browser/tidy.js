/**
 * Returns a text of a page on one line.
 *
 * @param {string} text
 */
exports.tidy = text => text.replace(/\s+/g, ' ').trim();
