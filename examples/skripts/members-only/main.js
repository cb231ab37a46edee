const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

module.exports = async ({ base_url }, { username, password }) => {
  // Without automatic redirects, because the redirect sets the cookie.
  const shop = axios.create({
    baseURL: base_url,
    timeout: 8000,
    maxRedirects: 0,
    validateStatus: status => status < 500,
  });

  const form = await shop.get('/login');
  const csrf = cheerio.load(form.data)('input[name=csrf]').attr('value');
  const login = await shop.post('/login', new URLSearchParams({ csrf, username, password }), {
    headers: { cookie: cookieOf(form) },
  });
  if (login.status !== 303) throw new Error(`The login failed with status ${login.status}. Check the input secret.`);
  echo.log('Logged in.');

  const page = await shop.get(login.headers.location, { headers: { cookie: cookieOf(login) } });
  const offers = readOffers(page.data);
  echo.objekt(offers[0]);

  const collection = mongo.collection('member_prices');
  await collection.createIndex({ sku: 1 }, { unique: true });
  await Promise.all(offers.map(offer => collection.replaceOne({ sku: offer.sku }, offer, { upsert: true })));
  return { offers: offers.length };
};

/** Returns the session cookie of a response, formatted for the next request. */
function cookieOf(answer) {
  const [cookie] = answer.headers['set-cookie'] ?? [];
  if (!cookie) throw new Error(`${answer.config.url} set no session cookie.`);
  return cookie.split(';')[0];
}

function readOffers(html) {
  const $ = cheerio.load(html);
  return $('table.offers tbody tr')
    .map((_, row) => ({
      sku: $(row).attr('data-sku'),
      title: $(row).find('th').text(),
      trade_price: $(row).find('.trade-price').text(),
    }))
    .get();
}
