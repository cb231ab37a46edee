import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { promisify } from 'node:util';
import { sharedPlatform } from '../harness/shared-platform.js';
import { shopForFile } from '../libraries/matrix.js';
import { codeOf } from './recipe.js';

interface Recipe {
  /** Title of the block, if it is not "main.js". */
  title?: string;
  secret?: () => unknown;
  /** Fields of the skript. */
  fields?: object;
  output: unknown;
}

const platform = sharedPlatform();
const shop = shopForFile(() => platform.reservedPort());
let proxyUrl: string;
let proxy: Server;
const proxied: string[] = [];

beforeAll(async () => {
  const port = await platform.reservedPort();
  proxyUrl = `http://captain:hook@127.0.0.1:${port}`;
  proxy = createServer((incoming, outgoing) => {
    proxied.push(`${incoming.headers['proxy-authorization']} ${incoming.url}`);
    request(incoming.url as string, answer => {
      outgoing.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(outgoing);
    }).end();
  }).listen(port, '127.0.0.1');
});
afterAll(() => proxy.close());

async function runOf(page: string, { title = 'main.js', secret, fields }: Recipe): Promise<any> {
  const developer = await platform.as('developer');
  const { name, code } = codeOf(page, title);
  const skriptId = await platform.skript(`${page} ${randomUUID()}`, { [name]: code }, fields);
  const { body } = await developer('POST', '/joint-api/execute-skript/single-worker/start', {
    worker_id: platform.workerId,
    skript_id: skriptId,
    input: { base_url: shop.url },
    ...(secret && { inputSecret: secret() }),
  });
  return body;
}

const memberSecret = () => ({ username: 'first-mate', password: 'fair-winds' });

const RECIPES: [page: string, recipe: Recipe][] = [
  [
    'log-in',
    {
      secret: memberSecret,
      output: { offers: expect.any(Number) },
    },
  ],
  ['stay-logged-in', { secret: memberSecret, output: { offers: 32 } }],
  ['stay-logged-in', { title: 'main.js with a page', secret: memberSecret, output: { offers: 32 } }],
  ['javascript-page', { output: { arrivals: expect.any(Number) } }],
  [
    'javascript-page',
    {
      title: 'main.js of the browser',
      output: [expect.any(String), expect.any(String), expect.any(String)],
    },
  ],
  ['screenshot', { output: true }],
  ['proxy', { secret: () => ({ proxy: proxyUrl }), output: expect.any(String) }],
  ['proxy', { title: 'main.js with Puppeteer', secret: () => ({ proxy: proxyUrl }), output: expect.any(String) }],
  ['retry', { output: 200 }],
  ['crawl-a-site', { output: { visited: 50 } }],
  ['be-polite', { fields: { polite: true }, output: 12 }],
  ['time-zone', { output: '01/07/2026, 09:00' }],
  ['from-apify', { output: { titles: 20 } }],
  ['typescript', { title: 'main.ts', output: 20 }],
];

test.each(RECIPES)('the recipe %s runs as its page shows it', async (page, recipe) => {
  const run = await runOf(page, recipe);
  expect([run.error_stack, run.output]).toEqual([null, recipe.output]);
});

test('the recipe for a proxy sends its requests through it, with name and password', async () => {
  proxied.length = 0;
  await runOf('proxy', { secret: () => ({ proxy: proxyUrl }), output: undefined });
  const credentials = Buffer.from('captain:hook').toString('base64');
  expect(proxied).toEqual([`Basic ${credentials} ${shop.url}/`]);
});

test('the program of the recipe for Python starts a skript and prints its output', async () => {
  const developer = await platform.as('developer');
  const { body: key } = await developer('POST', '/joint-api/keys/addnew', { name: 'python', scope: 'run' });
  const SKRIPT_ID = await platform.skript('For Python', { 'main.js': 'module.exports = input => input;' });
  // The recipe names the saved input of the sample that every new installation has.
  const val = JSON.parse(readFileSync('examples/skripts/shop-catalogue/inputCatalogue.json', 'utf8'));
  await developer('POST', '/joint-api/inputs/addnew', { skript_id: SKRIPT_ID, name: 'inputCatalogue.json', val });
  const { code } = codeOf('python-client', 'start.py');
  const env = { ...process.env, TRAWL_URL: platform.url, TRAWL_KEY: key.key, SKRIPT_ID };
  const { stdout } = await promisify(execFile)('python3', ['-c', code], { env });
  expect(JSON.parse(stdout)).toEqual(val);
});

test('every recipe with a skript is run by a test', () => {
  const withCode = readdirSync('website/docs/recipes').filter(file =>
    /title="main\./.test(readFileSync(`website/docs/recipes/${file}`, 'utf8')),
  );
  // `e2e/proxies` runs the one for a pool.
  const tested = new Set(['proxies', ...RECIPES.map(([page]) => page)]);
  expect(withCode.map(file => file.replace('.mdx', '')).sort()).toEqual([...tested].sort());
});
