/**
 * Returns the addresses that links lead to, each once. Leaves out links that are not to web pages.
 *
 * @param {string[]} hrefs values of `href`
 * @param {string} page address of the page with the links
 */
exports.addressesOf = (hrefs, page) => {
  const addresses = hrefs.filter(href => URL.canParse(href, page)).map(href => new URL(href, page));
  return [...new Set(addresses.filter(({ protocol }) => /^https?:$/.test(protocol)).map(({ href }) => href))];
};
