const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

module.exports = async ({ base_url }) => {
  const books = mongo.collection('sea_stories');
  let page = '/categories/sea-stories';
  let stored = 0;

  while (page) {
    const url = new URL(page, base_url);
    const $ = cheerio.load((await axios.get(url.href)).data);

    for (const card of $('article.product').toArray()) {
      const sku = $(card).attr('data-sku');
      const title = $(card).find('.product-title a').attr('title');
      const price = $(card).find('.price').text();
      const row = { sku, title, price };
      await books.replaceOne({ sku }, row, { upsert: true });
      stored += 1;
    }

    echo.log(`${page}: ${stored} books so far`);
    page = $('link[rel="next"]').attr('href');
  }
  return { stored };
};
