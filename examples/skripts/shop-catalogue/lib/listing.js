const cheerio = require('cheerio');
const { readDate, readNumber, readPrice, readStock } = require('./clean');

/** One page of the catalogue: how many pages there are, and a row for each product on this one. */
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
    // The link's text is cut short for long titles; its title attribute is not.
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
