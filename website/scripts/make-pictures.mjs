// Renders static/img/open-graph.png, the preview image of links to the site, from open-graph.svg.
//
//     npm run pictures -w @trawl/website
import { readFile, writeFile } from 'node:fs/promises';
import chromium from '@sparticuz/chromium';
import puppeteer from 'puppeteer-core';

const SIZE = { width: 1200, height: 630 };
const here = path => new URL(path, import.meta.url);
const font = async name =>
  (await readFile(here(`../../node_modules/@fontsource-variable/${name}-latin-wght-normal.woff2`))).toString('base64');

const svg = await readFile(here('./open-graph.svg'), 'utf8');
const page = `<style>
@font-face { font-family: Heading; font-weight: 200 800; src: url(data:font/woff2;base64,${await font('bricolage-grotesque/files/bricolage-grotesque')}) }
@font-face { font-family: Text; font-weight: 100 900; src: url(data:font/woff2;base64,${await font('inter/files/inter')}) }
body { margin: 0 }
svg { display: block }
</style>${svg}`;

const browser = await puppeteer.launch({
  executablePath: process.env.CHROME_PATH ?? (await chromium.executablePath()),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  headless: 'shell',
});
try {
  const tab = await browser.newPage();
  await tab.setViewport(SIZE);
  await tab.setContent(page);
  await tab.evaluate(() => document.fonts.ready);
  await writeFile(here('../static/img/open-graph.png'), await tab.screenshot({ type: 'png' }));
} finally {
  await browser.close();
}
