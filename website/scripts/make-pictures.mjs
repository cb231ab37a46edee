// Makes the pictures that are derived from others: the preview images of links to the site from open-graph.svg, one per
// section, and the crops of the panel's screenshots on the home page.
//
//     npm run pictures -w @trawl/website
import { readFile, writeFile } from 'node:fs/promises';
import chromium from '@sparticuz/chromium';
import puppeteer from 'puppeteer-core';

const PREVIEW = { width: 1200, height: 630 };
/** Title of the preview image by section, in three lines at most. The first one is for all other pages. */
const TITLES = {
  '': ['Write the scraper.', 'Watch it run.', 'Keep the rows.'],
  '-docs': ['Documentation:', 'from install', 'to first rows.'],
  '-services': ['Web data,', 'collected', 'for you.'],
  '-industries': ['Web data', 'for your trade.'],
  '-legal': ['Terms and', 'privacy.'],
};
/** Size of a screenshot in CSS pixels, and of a crop in pixels of the file. */
const SCREENSHOT = { width: 1280, height: 800 };
const CROP = { width: 480, height: 280 };
/** What the home page shows of a screenshot: left edge, top edge and width in CSS pixels. */
const CROPS = {
  'skript-editor': [500, 188, 500],
  'execute-skript': [276, 494, 520],
  scheduler: [272, 116, 780],
  echoes: [285, 260, 500],
  storage: [575, 222, 500],
  'joint-api': [262, 20, 560],
};

const here = path => new URL(path, import.meta.url);
const encoded = async path => (await readFile(here(path))).toString('base64');
const font = name => encoded(`../../node_modules/@fontsource-variable/${name}-latin-wght-normal.woff2`);

const svg = await readFile(here('./open-graph.svg'), 'utf8');
const head = `<style>
@font-face { font-family: Heading; font-weight: 200 800; src: url(data:font/woff2;base64,${await font('bricolage-grotesque/files/bricolage-grotesque')}) }
@font-face { font-family: Text; font-weight: 100 900; src: url(data:font/woff2;base64,${await font('inter/files/inter')}) }
body { margin: 0 }
svg { display: block }
</style>`;
const lines = title => title.map((line, index) => `<text x="76" y="${290 + 96 * index}">${line}</text>`).join('');

const browser = await puppeteer.launch({
  executablePath: process.env.CHROME_PATH ?? (await chromium.executablePath()),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  headless: 'shell',
});
try {
  const tab = await browser.newPage();
  await tab.setViewport(PREVIEW);
  for (const [section, title] of Object.entries(TITLES)) {
    await tab.setContent(head + svg.replace('{title}', lines(title)));
    await tab.evaluate(() => document.fonts.ready);
    const picture = await tab.screenshot({ type: 'jpeg', quality: 82 });
    await writeFile(here(`../static/img/open-graph${section}.jpg`), picture);
  }
  for (const [name, [left, top, width]] of Object.entries(CROPS)) {
    const scale = CROP.width / width;
    await tab.setViewport(CROP);
    for (const theme of ['light', 'dark']) {
      const source = await encoded(`../static/img/panel-${name}-${theme}.webp`);
      const place = `margin: ${-top * scale}px 0 0 ${-left * scale}px; width: ${SCREENSHOT.width * scale}px`;
      await tab.setContent(
        `${head}<body style="overflow: hidden"><img style="${place}" src="data:image/webp;base64,${source}">`,
      );
      const picture = await tab.screenshot({ type: 'webp', quality: 45 });
      await writeFile(here(`../static/img/crop-${name}-${theme}.webp`), picture);
    }
  }
} finally {
  await browser.close();
}
