// @ts-check
// JavaScript on the home page. Baseline: the home page of Docusaurus's default template, measured in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import chromium from '@sparticuz/chromium';
import { launch } from 'puppeteer-core';
import { buildFromClean, defaultTemplate, serve, website } from '../docusaurus-sites.mjs';

const userDataDir = mkdtempSync(join(tmpdir(), 'trawl-bench-'));
const browser = await launch({
  executablePath: await chromium.executablePath(),
  headless: 'shell',
  userDataDir,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
});

/**
 * Measures the scripts that a first visit of the home page loads, and those it prefetches.
 * @param {string} site
 */
async function measure(site) {
  const { outDir } = await buildFromClean(site);
  const { url, close } = await serve(outDir);
  const page = await browser.newPage();
  /** @type {{ ahead: boolean, body: Promise<Buffer> }[]} */
  const scripts = [];
  page.on('response', response => {
    const request = response.request();
    if (!/\.js(\?|$)/.test(request.url())) return;
    const ahead = request.resourceType() !== 'script';
    scripts.push({ ahead, body: response.buffer().then(body => Buffer.from(body)) });
  });
  await page.goto(url, { waitUntil: 'networkidle0' });
  const bodies = await Promise.all(scripts.filter(({ ahead }) => !ahead).map(({ body }) => body));
  await page.close();
  close();
  return {
    scripts: bodies.length,
    'bytes, gzipped': bodies.reduce((sum, body) => sum + gzipSync(body).byteLength, 0),
    'bytes, unpacked': bodies.reduce((sum, body) => sum + body.byteLength, 0),
  };
}

try {
  const trawl = await measure(website);
  const template = await measure(defaultTemplate());
  console.table({ Trawl: trawl, 'default template': template });
  const ratio = Number((trawl['bytes, gzipped'] / template['bytes, gzipped']).toFixed(3));
  console.log(JSON.stringify({ bench: 'home-javascript', ratio, goal: 1 }));
} finally {
  await browser.close();
  rmSync(userDataDir, { recursive: true, force: true });
}
