const axios = require('axios');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');
const { atMost } = require('./lib/at-most');
const { readDetails, readLinks, readReviews } = require('./lib/pages');
const { withRetry } = require('./lib/with-retry');

const PRODUCTS_AT_ONCE = 5;

module.exports = async ({ base_url, category, rough_weather = false }) => {
  const details = mongo.collection('product_details');
  const reviews = mongo.collection('reviews');
  await details.createIndex({ sku: 1 }, { unique: true });
  await reviews.createIndex({ review_id: 1 }, { unique: true });

  const sum = { products: 0, reviews: 0, retries: 0 };
  const open = async url => {
    const answer = await withRetry(
      () => axios.get(url, { timeout: 8000 }),
      problem => {
        sum.retries += 1;
        echo.warn(`${url}: ${problem.message}, retrying`);
      },
    );
    return answer.data;
  };

  const links = [];
  for (let url = `${base_url}/categories/${category}`; url; ) {
    const listing = readLinks(await open(url), url);
    links.push(...listing.products);
    url = listing.next;
  }
  echo.log(`${links.length} products in ${category}, ${PRODUCTS_AT_ONCE} at a time`);

  await atMost(PRODUCTS_AT_ONCE, links, async link => {
    // With this parameter the practice shop fails some pages on the first request of a run.
    const product = readDetails(await open(rough_weather ? `${link}?rough=${global.trawl.execution_id}` : link), link);
    await details.replaceOne({ sku: product.sku }, product, { upsert: true });

    for (let url = `${link}/reviews`; url; ) {
      const page = readReviews(await open(url), url, product.sku);
      await Promise.all(
        page.reviews.map(row => reviews.replaceOne({ review_id: row.review_id }, row, { upsert: true })),
      );
      sum.reviews += page.reviews.length;
      url = page.next;
    }
    sum.products += 1;
    if (sum.products % 25 === 0) echo.log(`${sum.products} of ${links.length} products, ${sum.reviews} reviews`);
  });
  return sum;
};
