import { sharedPlatform } from '../harness/shared-platform.js';
import { type Example, expectEverywhere, shopForFile } from './matrix.js';

const platform = sharedPlatform();
const shop = shopForFile(() => platform.reservedPort());

/** Libraries that every run has, and what Node and the bundler bring. */
const EXAMPLES: Record<string, Example> = {
  'axios, got and cheerio': {
    files: {
      'main.mjs': `import axios from 'axios';
      import * as cheerio from 'cheerio';
      import got from 'got';
      const count = html => cheerio.load(html)('.product').length;
      export default async ({ base_url }) => [
        count((await axios.get(base_url + '/catalogue')).data),
        count(await got(base_url + '/catalogue').text()),
      ];`,
    },
    output: [20, 20],
  },
  'decorators and enums of TypeScript, and node:sqlite': {
    files: {
      'main.ts': `import { DatabaseSync } from 'node:sqlite';
      enum Shelf { Ropes = 'ropes', Charts = 'charts' }
      const doubled = (method: (n: number) => number, _context: ClassMethodDecoratorContext) =>
        function (this: unknown, n: number) { return 2 * method.call(this, n); };
      class Prices {
        @doubled
        of(n: number): number { return n; }
      }
      export default () => {
        const database = new DatabaseSync(':memory:');
        database.exec('CREATE TABLE prices (shelf TEXT, price REAL)');
        database.prepare('INSERT INTO prices VALUES (?, ?)').run(Shelf.Charts, new Prices().of(21));
        return { ...database.prepare('SELECT * FROM prices').get() };
      };`,
    },
    output: { shelf: 'charts', price: 42 },
  },
  puppeteer: {
    files: {
      'main.mjs': `import puppeteer from 'puppeteer';
      export default async ({ base_url }) => {
        const browser = await puppeteer.launch();
        const page = await browser.newPage();
        await page.goto(base_url + '/catalogue');
        const count = (await page.$$('.product')).length;
        await browser.close();
        return count;
      };`,
    },
    output: 20,
  },
};

test.each(Object.entries(EXAMPLES))(
  '%s gives the same output on the platform and on a computer, on each Node of runs',
  (title, example) => expectEverywhere(platform, title, example, shop.url),
);
