const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { dataset } = require('@trawl/storage');
const { addressesOf } = require('./links.js');

/** @param {{ url: string }} input */
module.exports = async ({ url }) => {
  const { data } = await axios.get(url, { timeout: 8000 });
  const $ = cheerio.load(data);
  const hrefs = $('a[href]')
    .map((_, link) => $(link).attr('href'))
    .get();
  const links = addressesOf(hrefs, url);
  echo.log(`${links.length} links`);
  await dataset.push(links.map(link => ({ page: url, link })));
  return { title: $('title').text(), links };
};
