const cheerio = require('cheerio');

/** Returns the URL of the next page, or null on the last page. */
function nextPage($, url) {
  const href = $('link[rel=next]').attr('href');
  return href ? new URL(href, url).href : null;
}

/** Reads the product links of one page of a category. */
exports.readLinks = (html, url) => {
  const $ = cheerio.load(html);
  const products = $('.product-title a')
    .map((_, link) => new URL($(link).attr('href'), url).href)
    .get();
  return { products, next: nextPage($, url) };
};

/** Reads a product page: its JSON-LD first, and the table for the rest. */
exports.readDetails = (html, url) => {
  const $ = cheerio.load(html);
  const data = JSON.parse($('script[type="application/ld+json"]').text());
  const specs = {};
  $('table.specs tr').each((_, row) => {
    specs[$(row).find('th').text()] = $(row).find('td').text();
  });
  return {
    sku: data.sku,
    url,
    title: data.name,
    description: data.description,
    breadcrumbs: $('.breadcrumbs a')
      .map((_, link) => $(link).text())
      .get(),
    price: data.offers ? Number(data.offers.price) : null,
    currency: data.offers?.priceCurrency ?? null,
    weight_g: readWeight(specs.Weight),
    specs,
    scraped_at: new Date(),
  };
};

/** Converts `850 g` or `1.25 kg` to grams. */
function readWeight(text) {
  if (!text) return null;
  const [amount, unit] = text.split(' ');
  return unit === 'kg' ? Math.round(Number(amount) * 1000) : Number(amount);
}

/** Reads one page of a product's reviews. */
exports.readReviews = (html, url, sku) => {
  const $ = cheerio.load(html);
  const reviews = $('article.review').map((_, element) => {
    const review = $(element);
    return {
      review_id: review.attr('id'),
      sku,
      author: review.find('.review-author').text(),
      stars: Number.parseInt(review.find('.stars').attr('aria-label'), 10),
      written_on: new Date(review.find('time').attr('datetime')),
      title: review.find('.review-title').text(),
      text: review.find('.review-text').text(),
      verified: review.find('.verified').length > 0,
    };
  });
  return { reviews: reviews.get(), next: nextPage($, url) };
};
