import { readFileSync } from 'node:fs';
import { Child } from '../harness/child.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
let shop: string;
let site: Child;
beforeAll(async () => {
  const port = await platform.reservedPort();
  shop = `http://127.0.0.1:${port}`;
  site = new Child('examples/dist/practice-site/main.js', { PORT: String(port) });
  await site.start(async () => (await fetch(shop)).ok);
});
afterAll(() => site?.kill('SIGTERM'));

/** Returns the products that the page's script loads. */
async function arrivals(): Promise<{ sku: string; title: string; price: string }[]> {
  const found = [];
  for (let source = '/js/arrivals.json'; source; ) {
    const { items, next } = await (await fetch(shop + source)).json();
    found.push(...items);
    source = next;
  }
  return found;
}

it('the sample skript with a browser stores the products that the practice shop shows, and sends a screenshot', async () => {
  const main = readFileSync('examples/skripts/with-a-browser/main.js', 'utf8');
  const skript = await platform.skript('with a browser', { 'main.js': main }, { environment: 'browser' });
  const { status, body } = await platform.startRun(skript, { base_url: shop });
  expect({ status, error: body.error_stack }).toEqual({ status: 200, error: null });
  const expected = await arrivals();
  expect(body.output).toEqual({ shown: expected.length });
  const rows = await platform.documents('shown_arrivals');
  const shown = (products: typeof expected) => products.map(({ sku, title, price }) => [sku, title, price]).sort();
  expect(shown(rows)).toEqual(shown(expected));
  expect((await platform.echoes(body.id)).map(({ type }) => type)).toEqual(['image', 'log']);
});

it('a run that fails with a browser page open echoes a screenshot and the HTML of the page', async () => {
  const main = `
    module.exports = async ({ base_url }) => {
      const browser = await require('puppeteer').launch();
      try {
        const page = await browser.newPage();
        await page.goto(base_url);
        await page.waitForSelector('#no-such-thing', { timeout: 100 });
      } finally {
        await browser.close();
      }
    };`;
  const skript = await platform.skript('fails with a browser', { 'main.js': main }, { environment: 'browser' });
  const { body } = await platform.startRun(skript, { base_url: shop });
  expect(body).toMatchObject({ action: 'error', error_code: 'exception' });
  const [heading, picture, source] = await platform.echoes(body.id);
  expect(heading).toMatchObject({ type: 'error', msg: expect.stringContaining('Page at the error') });
  expect(picture).toMatchObject({ type: 'image', msg: expect.stringMatching(/^data:image\/jpeg;base64,/) });
  expect(source).toMatchObject({ type: 'objekt', msg: expect.stringContaining('page at the error') });
});

if (isFullTest)
  it('an older skript with environment `nodejs` gets a browser, and version 2 of its HTTP client', async () => {
    const files = {
      'package.json': JSON.stringify({
        dependencies: { '@mikosoft/httpclient-pptr': '^2.0.0', 'puppeteer-core': '^12.0.0' },
      }),
      'main.js': `
      const puppeteer = require('puppeteer-core');
      const { HttpClientPptr } = require('@mikosoft/httpclient-pptr');
      module.exports = async ({ base_url }) => {
        const client = new HttpClientPptr({ headless: false, closeBrowser: true });
        client.injectPuppeteer(puppeteer);
        client.defineExecutablePath('/no/such/chrome');
        client.setDeviceObject('Desktop Linux');
        const { status, gzip } = await client.ask(base_url);
        return { status, gzip };
      };`,
    };
    const skript = await platform.skript('older', files, { environment: 'nodejs', worker_response_timeout: 60_000 });
    const { status, body } = await platform.startRun(skript, { base_url: shop });
    expect({ status, error: body.error_stack }).toEqual({ status: 200, error: null });
    expect(body.output).toEqual({ status: 200, gzip: expect.any(Boolean) });
    expect((await platform.echoes(body.id)).map(({ msg }) => msg)).toEqual([
      expect.stringContaining('ignores headless: false'),
      expect.stringContaining('no program /no/such/chrome'),
    ]);
  });
