const puppeteer = require('puppeteer');
const { echo } = require('@trawl/echo');
const { tidy } = require('./tidy.js');

/** @param {{ url: string }} input */
module.exports = async ({ url }) => {
  const browser = await puppeteer.launch();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    echo.image(await page.screenshot({ type: 'jpeg', quality: 60 }));
    return { title: tidy(await page.title()) };
  } finally {
    await browser.close();
  }
};
