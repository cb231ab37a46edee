// main.js of the skript.
const axios = require('axios');
const cheerio = require('cheerio');
const { mongo } = require('@trawl/storage');
const { crawl } = require('./crawl.cjs');

module.exports = async ({ start }) => {
  const pages = mongo.collection('pages');
  await pages.deleteMany({});
  return crawl({
    start,
    get: async url => (await axios.get(url)).data,
    load: cheerio.load,
    store: records => pages.insertMany(records),
  });
};
