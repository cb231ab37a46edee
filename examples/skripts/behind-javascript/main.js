const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

module.exports = async ({ base_url }) => {
  const shop = axios.create({ baseURL: base_url, timeout: 8000 });
  const $ = cheerio.load((await shop.get('/js/')).data);
  echo.log(`The page itself lists ${$('#arrivals li').length} items: its script loads them.`);

  const arrivals = [];
  for (let source = $('#arrivals').attr('data-source'); source; ) {
    const { items, next } = (await shop.get(source)).data;
    arrivals.push(...items);
    echo.log(`${source}: ${items.length} items`);
    source = next;
  }

  const collection = mongo.collection('arrivals');
  await collection.deleteMany({});
  await collection.insertMany(arrivals.map(item => ({ ...item, arrived: new Date(item.arrived) })));
  return { arrivals: arrivals.length };
};
