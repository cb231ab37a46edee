import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Platform } from '../harness/platform.js';
import { WITH_BROWSER } from '../harness/worker-process.js';
import { filesOf } from '../libraries/documented.js';
import { shopForFile } from '../libraries/matrix.js';
import { registrySettings } from '../libraries/registry-settings.js';

/** The example of the documentation. */
const DOCUMENTED = 'main.mjs';
const RUN_MS = 240_000;
/** The first run waits for npm, which reads the lists of hundreds of packages and installs them. */
const INSTALL_MS = 900_000;
const PACKAGE = JSON.stringify({ dependencies: { apify: '3.7.2', crawlee: '3.18.1', playwright: '1.65.0' } });
const shop = shopForFile();
let platform: Platform;

beforeAll(async () => {
  const registry = await registrySettings();
  platform = await Platform.start({
    backendEnv: registry,
    mayReach: [shop.url],
    workerEnv: { ...WITH_BROWSER, ...registry },
  });
  const skript = await platform.skript('installs', { 'package.json': PACKAGE, 'main.js': "require('crawlee');" });
  const run = await platform.ended(await platform.begin(skript), INSTALL_MS);
  expect([run.error_stack, run.action]).toEqual([null, 'end']);
}, INSTALL_MS);
afterAll(() => platform?.close());

interface Crawl {
  id: string;
  skript: string;
  run: any;
}

const skripts = new Map<string, string>();

/** Runs a crawler of the folder as it is. */
async function crawl(file: string, settings: object = {}, input: object = {}): Promise<Crawl> {
  let skript = skripts.get(file);
  if (skript === undefined) {
    const code =
      file === DOCUMENTED ? filesOf('crawlee')[DOCUMENTED] : readFileSync(`e2e/crawlee/crawlers/${file}`, 'utf8');
    const files = { 'package.json': PACKAGE, [`main${extname(file)}`]: code as string };
    skript = await platform.skript(file, files, settings);
    skripts.set(file, skript);
  }
  const id = await platform.begin(skript, { base_url: shop.url, ...input });
  return { id, skript, run: await platform.ended(id, RUN_MS) };
}

/** Returns the rows of all runs of a skript, the oldest first. */
async function storedRows(skript: string): Promise<Record<string, unknown>[]> {
  const newestFirst = await platform.documents(`dataset_${skript}`);
  return newestFirst.reverse().map(({ _id, _at, ...row }) => row);
}

/** Expects that the run of a crawler ends well with an output. Returns its rows without the fields of Trawl. */
async function rowsOf(file: string, input: object = {}, output: unknown = null): Promise<Record<string, unknown>[]> {
  const { id, skript, run } = await crawl(file, {}, input);
  expect([run.error_stack, run.output]).toEqual([null, output]);
  const rows = await storedRows(skript);
  return rows.filter(({ _run }) => _run === id).map(({ _run, ...row }) => row);
}

test('a crawler follows links, and its rows are those of the run', async () => {
  const rows = await rowsOf('links.mjs');
  expect(rows).toEqual([46, 47, 48, 49, 50].map(page => ({ path: `/catalogue?page=${page}`, products: 20 })));
});

test('the example of the documentation stores the products of three pages', async () => {
  const rows = await rowsOf(DOCUMENTED);
  expect([rows.length, rows[0]]).toEqual([60, { sku: expect.stringMatching(/^MM-/), title: expect.any(String) }]);
});

test(
  'the template of `trawl init` stores products of the practice shop',
  async () => {
    const folder = 'packages/cli/templates/crawlee';
    const names = ['main.mjs', 'package.json', 'price.js'];
    const files = Object.fromEntries(names.map(name => [name, readFileSync(`${folder}/${name}`, 'utf8')]));
    const skript = await platform.skript('template', files);
    const run = await platform.ended(await platform.begin(skript, { base_url: shop.url, pages: 6 }), INSTALL_MS);
    expect([run.error_stack, run.action]).toEqual([null, 'end']);
    const rows = await storedRows(skript);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    for (const row of rows) {
      expect(row).toMatchObject({
        sku: expect.stringMatching(/^MM-/),
        title: expect.any(String),
        price: expect.any(Number),
      });
    }
  },
  INSTALL_MS,
);

test('a crawler sends pages to the handler of their label', async () => {
  const rows = await rowsOf('labels.mjs');
  expect(rows).toHaveLength(5);
  expect(rows).toEqual(expect.arrayContaining([{ sku: expect.stringMatching(/^MM-/), shelf: 'first' }]));
});

test('an HttpCrawler reads JSON', async () => {
  expect(await rowsOf('json.mjs')).toEqual([{ type: 'application/json', isList: true }]);
});

test('a BasicCrawler sends requests with methods and bodies', async () => {
  const rows = await rowsOf('forms.mjs');
  expect(rows).toEqual(
    expect.arrayContaining([
      { method: 'GET', payload: null, statusCode: 200 },
      { method: 'POST', payload: 'of=rope', statusCode: expect.any(Number) },
    ]),
  );
});

test('values of a store are those of the run, and those of a named store stay for the next one', async () => {
  const row = {
    keys: ['large', 'picture', 'state'],
    input: 'Pequod',
    state: { pages: 2, names: ['Ahab', 'Ishmael'] },
    missing: null,
    picture: [0, 1, 254, 255],
    large: 400_000,
    exists: [true, true, false],
  };
  expect(await rowsOf('values.mjs', { ship: 'Pequod' })).toEqual([{ ...row, before: 0 }]);
  expect(await rowsOf('values.mjs', { ship: 'Pequod' })).toEqual([{ ...row, before: 1 }]);
});

test('a named queue keeps order, knows its requests, and gives one back for another try', async () => {
  const [row] = await rowsOf('queue.mjs');
  expect(row).toMatchObject({ known: [false, true], handled: 4, pending: 0 });
  const order = (row as { order: string[] }).order;
  expect(order[0]).toBe('/urgent0');
  expect([...order].sort()).toEqual(['/a0', '/b0', '/b1', '/c0', '/urgent0']);
});

test('a crawler retries pages, counts their tries, and calls its handler of failed ones', async () => {
  const rows = await rowsOf('retries.mjs', {}, { requestsFinished: 2, requestsFailed: 1 });
  expect(rows).toEqual(
    expect.arrayContaining([
      { pathname: '/', retries: 0, errors: 0 },
      { pathname: '/catalogue', retries: 2, errors: 2 },
      { pathname: '/categories/sea-stories', failed: 'never read', retries: 2 },
      { '/': 1, '/catalogue': 3, '/categories/sea-stories': 3, requestsFinished: 2, requestsFailed: 1 },
    ]),
  );
});

test('a crawler stops at its number of pages, and keeps a state', async () => {
  expect(await rowsOf('state.mjs')).toEqual([{ products: 60 }]);
});

test('a dataset is read, reduced and exported inside the run', async () => {
  const rows = await rowsOf('export.mjs');
  expect(rows.at(-1)).toEqual({
    items: [{ sku: 'a', price: 1 }],
    total: 3,
    sum: 6,
    csv: 'sku,price\nb,2\na,1\nc,3\n',
    named: [{ sku: 'b' }, { sku: 'a' }, { sku: 'c' }],
    count: 3,
  });
});

test('a skript that exports a function returns what its crawler found', async () => {
  const { run } = await crawl('function.js');
  expect([run.error_stack, run.output]).toEqual([null, { requestsFinished: 2, titles: [true, true] }]);
});

test('crawlers with Puppeteer and with Playwright use the Chromium of the worker', async () => {
  const rows = await rowsOf('browser.mjs');
  expect(rows).toEqual(
    ['PuppeteerCrawler', 'PlaywrightCrawler'].flatMap(crawler =>
      ['/js/', '/catalogue'].map(path => ({ crawler, path, products: true })),
    ),
  );
});

test('an Actor reads its input, stores rows and values, and ends its run', async () => {
  expect(await rowsOf('actor.mjs', {}, { pages: 1 })).toEqual([{ products: 20 }, { seen: { pages: 1 } }]);
});

test('an Actor that fails ends its run with its message, and names calls that need the platform of Apify', async () => {
  const { skript, run } = await crawl('actor-fails.mjs');
  expect(run).toMatchObject({ action: 'error', error_code: 'exception' });
  expect(run.error_stack).toContain('The shop is closed');
  expect(await storedRows(skript)).toMatchObject([
    {
      refused: [
        expect.stringContaining('Actor.call does not work in Trawl.'),
        expect.stringContaining('Actor.metamorph does not work in Trawl.'),
        expect.stringContaining('Actor.createProxyConfiguration for the proxy of Apify does not work in Trawl.'),
        expect.stringContaining('Actor.reboot does not work in Trawl.'),
      ],
    },
  ]);
});

test('the retry of a run whose process died continues its queue, its values and its rows', async () => {
  const { id, skript, run } = await crawl('continued.mjs', { retries: 1, retry_delay_ms: 0 });
  expect(run).toMatchObject({ action: 'error', error_code: 'process_ended' });
  const developer = await platform.as('developer');
  const { body } = await developer('GET', `/joint-api/skript-execution/list?retry_of=${id}`);
  const second = await platform.ended(body.items[0].id, RUN_MS);
  expect([second.error_stack, second.action]).toEqual([null, 'end']);
  const rows = (await storedRows(skript)).map(({ _run, ...row }) => row);
  expect(rows).toEqual([
    { page: '45', attempts: 1 },
    { page: '46', attempts: 1 },
    { page: '47', attempts: 2 },
    { page: '48', attempts: 2 },
    { page: '49', attempts: 2 },
    { page: '50', attempts: 2 },
    { rows: 6 },
  ]);
});
