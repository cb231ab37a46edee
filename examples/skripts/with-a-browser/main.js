const puppeteer = require('puppeteer');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

module.exports = async ({ base_url }) => {
  const browser = await puppeteer.launch({ defaultViewport: { width: 1000, height: 700 } });
  const page = await browser.newPage();
  await page.goto(new URL('/js/', base_url).href);
  // The page shows this text when its script has finished.
  await page.waitForFunction(() => document.querySelector('#arrivals-status').textContent.endsWith('new arrivals'));
  echo.image(await page.screenshot({ type: 'jpeg', quality: 70 }));

  const shown = await page.$$eval('#arrivals .product', products =>
    products.map(product => ({
      sku: product.dataset.sku,
      title: product.querySelector('.product-title').textContent,
      price: product.querySelector('.price').textContent,
    })),
  );
  echo.log(`${shown.length} products on the page`);
  await browser.close();

  const collection = mongo.collection('shown_arrivals');
  await collection.deleteMany({});
  await collection.insertMany(shown);
  return { shown: shown.length };
};
