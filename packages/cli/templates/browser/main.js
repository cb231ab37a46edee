const puppeteer = require('puppeteer');
const { echo } = require('@trawl/echo');
const { dataset } = require('@trawl/storage');
const { tidy } = require('./tidy.js');

/** @param {{ url: string }} input */
module.exports = async ({ url }) => {
  const browser = await puppeteer.launch();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    echo.image(await page.screenshot({ type: 'jpeg', quality: 60 }));
    const title = tidy(await page.title());
    await dataset.push({ url, title });
    return { title };
  } finally {
    await browser.close();
  }
};
