import { readFileSync } from 'node:fs';
import { Child } from '../harness/child.js';
import { freePort, Platform } from '../harness/platform.js';

jest.setTimeout(180_000);

let shop: string;
let site: Child;
let platform: Platform;
beforeAll(async () => {
  const port = await freePort();
  shop = `http://127.0.0.1:${port}`;
  site = new Child('examples/dist/practice-site/main.js', { PORT: String(port) });
  await site.start(async () => (await fetch(shop)).ok);
  platform = await Platform.start({}, [shop]);
});
afterAll(async () => {
  await platform?.close();
  await site?.kill('SIGTERM');
});

/** What the page's script asks for. */
async function arrivals(): Promise<{ sku: string; title: string; price: string }[]> {
  const found = [];
  for (let source = '/js/arrivals.json'; source; ) {
    const { items, next } = await (await fetch(shop + source)).json();
    found.push(...items);
    source = next;
  }
  return found;
}

it('the sample with a browser reads what the shop’s page shows, and sends its picture', async () => {
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

it('what fails comes with the page', async () => {
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
