import { Platform } from '../harness/platform.js';
import { WITH_BROWSER } from '../harness/worker-process.js';
import { filesOf } from './documented.js';
import { EVERYWHERE_MS, type Example, expectEverywhere, shopForFile } from './matrix.js';
import { registrySettings } from './registry-settings.js';

const shop = shopForFile();
let platform: Platform;

beforeAll(async () => {
  const registry = await registrySettings();
  platform = await Platform.start({
    backendEnv: registry,
    mayReach: [shop.url],
    workerEnv: { ...WITH_BROWSER, ...registry },
  });
}, 300_000);
afterAll(() => platform?.close());

const using = (dependencies: Record<string, string>, code: string, main = 'main.mjs'): Record<string, string> => ({
  'package.json': JSON.stringify({ dependencies }),
  [main]: code,
});

/** The package.json that the examples of Crawlee share. */
const CRAWLEE = { 'package.json': filesOf('crawlee')['package.json'] as string };
const ARRIVALS = expect.arrayContaining([expect.any(String)]);

/** The examples of the documentation, and other libraries that scrapers use. They come from the npm registry. */
const EXAMPLES: Record<string, Example> = {
  'playwright, as documented': { files: filesOf('playwright'), output: ARRIVALS },
  'Crawlee with Cheerio, as documented': {
    files: { ...CRAWLEE, ...filesOf('crawlee', 'that exports a function') },
    output: 60,
  },
  'Crawlee with Puppeteer, as documented': {
    files: { ...CRAWLEE, ...filesOf('crawlee', 'of the crawler with Puppeteer') },
    output: ARRIVALS,
  },
  'puppeteer-extra with stealth, as documented': {
    files: filesOf('puppeteer-extra'),
    output: { webdriver: false, headless: false },
  },
  'got-scraping, as documented': { files: filesOf('got-scraping'), output: { statusCode: 200, products: 20 } },
  sharp: {
    files: using(
      { sharp: '^0.34.0' },
      `import sharp from 'sharp';
      export default async () => {
        const red = { create: { width: 8, height: 8, channels: 3, background: 'red' } };
        const small = await sharp(await sharp(red).png().toBuffer()).resize(4).jpeg().toBuffer({ resolveWithObject: true });
        return [small.info.format, small.info.width];
      };`,
    ),
    output: ['jpeg', 4],
  },
  'undici of its own version': {
    files: using(
      { undici: '^7.0.0' },
      `import { request } from 'undici';
      export default async ({ base_url }) => (await request(base_url + '/catalogue')).statusCode;`,
    ),
    output: 200,
  },
  'jsdom, zod and p-limit': {
    files: using(
      { jsdom: '^26.0.0', zod: '^4.0.0', 'p-limit': '^7.0.0' },
      `import { JSDOM } from 'jsdom';
      import pLimit from 'p-limit';
      import { z } from 'zod';
      const Product = z.object({ sku: z.string().startsWith('MM-') });
      export default async ({ base_url }) => {
        const limit = pLimit(2);
        const pages = await Promise.all([1, 2].map(page => limit(async () => (await fetch(base_url + '/catalogue?page=' + page)).text())));
        return pages.map(page => {
          const { document } = new JSDOM(page).window;
          return [...document.querySelectorAll('.product')].map(({ dataset }) => Product.parse({ ...dataset })).length;
        });
      };`,
      'main.js',
    ),
    output: [20, 20],
  },
};

test.each(Object.entries(EXAMPLES))(
  '%s gives the same output on the platform and on a computer, on each Node of runs',
  (title, example) => expectEverywhere(platform, title, example, shop.url),
  EVERYWHERE_MS,
);
