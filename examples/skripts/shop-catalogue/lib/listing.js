const cheerio = require('cheerio');
const { readDate, readNumber, readPrice, readStock } = require('./clean');

/** Reads one page of the catalogue: the number of pages, and a row for each product. */
exports.readListing = (html, base_url) => {
  const $ = cheerio.load(html);
  const rows = $('article.product')
    .map((_, element) => readCard($(element), base_url))
    .get();
  return { page_count: readNumber($('.page-count').text()), rows };
};

function readCard(card, base_url) {
  const text = selector => card.find(selector).text().trim() || null;
  const link = card.find('.product-title a');
  const date = card.find('.released');
  return {
    sku: card.attr('data-sku'),
    // The text of the link truncates long titles; its title attribute does not.
    title: link.attr('title'),
    url: new URL(link.attr('href'), base_url).href,
    category: card.attr('data-category'),
    maker: text('.maker-name'),
    ...readPrice(text('ins.price')),
    price_before: readPrice(text('.price-was')).price,
    rating: readNumber(card.find('.stars').attr('aria-label')),
    reviews: readNumber(text('.review-count')) ?? 0,
    ...readStock(text('.stock')),
    gtin: text('.gtin'),
    released: readDate(date.attr('datetime') ?? text('.released')),
    scraped_at: new Date(),
  };
}
