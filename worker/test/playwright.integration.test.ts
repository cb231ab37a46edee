import { RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import { installed, publishedLock } from './published-lock.js';
import { workerWithSite } from './worker-with-site.js';

const registry = new RegistryStandIn();
let lock: string;

beforeAll(() => registry.open());
afterAll(() => registry.close());

const { platform, site, run } = workerWithSite(
  (request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/blocked') response.statusCode = 403;
    if (request.url === '/challenge') return response.end('<title>Just a moment...</title>');
    if (request.url === '/frames') {
      const other = `http://localhost:${request.socket.localPort}/blocked`;
      return response.end(`<iframe src="/challenge"></iframe><iframe src="${other}"></iframe>`);
    }
    response.end('<!doctype html><title>Prices</title><script>document.title += ": 12.50"</script>');
  },
  // A getter, because the registry has no address before it is open.
  {
    get TRAWL_NPM_REGISTRY() {
      return registry.url;
    },
  },
);

beforeAll(async () => {
  const wrapper = {
    'index.js': "module.exports = require('playwright-core');",
    'index.mjs': "export * from 'playwright-core'; export { default } from 'playwright-core';",
  };
  const exports = { '.': { import: './index.mjs', require: './index.js' } };
  lock = await publishedLock(registry, platform, {
    'playwright-core': installed('playwright-core'),
    playwright: { files: wrapper, manifest: { exports, dependencies: { 'playwright-core': '*' } } },
  });
});

const READS = `async () => {
  const browser = await chromium.launch();
  const page = await browser.newPage();
  await page.goto(SITE);
  const title = await page.title();
  await browser.close();
  return title;
};`;

async function outputOf(main: string) {
  const { finish, echoes } = await run(main.replaceAll('SITE', `'${site()}/'`), { lock });
  expect(finish.error_stack).toBeNull();
  return { output: JSON.parse(finish.output ?? 'null'), warnings: echoes.filter(({ type }) => type === 'warn') };
}

test.each([
  ['require of playwright', "const { chromium } = require('playwright');\nmodule.exports ="],
  ['require of playwright-core', "const { chromium } = require('playwright-core');\nmodule.exports ="],
  ['import of playwright', "import { chromium } from 'playwright';\nexport default"],
  [
    'import() of playwright',
    "module.exports = async () => read((await import('playwright')).chromium);\nconst read = chromium => (",
  ],
])('%s starts the Chromium of the worker', async (_how, head) => {
  const main = head.endsWith('(') ? `${head}${READS.replace(/;$/, ')();')}` : `${head} ${READS}`;
  expect(await outputOf(main)).toEqual({ output: 'Prices: 12.50', warnings: [] });
});

test('Playwright keeps a profile in the run’s folder, and ignores options that a worker cannot fulfil', async () => {
  const main = `const { chromium } = require('playwright');
    module.exports = async () => {
      const options = { headless: false, channel: 'chrome', executablePath: '/no/such/chrome' };
      const context = await chromium.launchPersistentContext('profile', options);
      const page = await context.newPage();
      await page.goto(SITE);
      await page.evaluate(() => localStorage.setItem('seen', 'yes'));
      await context.close();
      return { kept: require('node:fs').readdirSync('profile').length > 0, path: chromium.executablePath() === process.env.CHROME_PATH };
    };`;
  const { output, warnings } = await outputOf(main);
  expect(output).toEqual({ kept: true, path: true });
  expect(warnings.map(({ msg }) => msg)).toEqual([
    expect.stringContaining('playwright.launch: a run has no screen, so it ignores headless: false.'),
    expect.stringContaining('playwright.launch: this worker has no program /no/such/chrome'),
  ]);
});

test.each([
  [
    'newPage and newContext',
    `const browser = await chromium.launch();
     const page = await browser.newPage();
     await page.goto(SITE);
     await page.goto(SITE + 'blocked');
     await page.goto(SITE + 'challenge');
     await (await (await browser.newContext()).newPage()).goto(SITE + 'frames');
     await browser.close();`,
    { count: 5, blocked: 3 },
  ],
  [
    'a profile',
    `const context = await chromium.launchPersistentContext('profile');
     await (await context.newPage()).goto(SITE + 'challenge');
     await context.close();`,
    { count: 1, blocked: 1 },
  ],
])(
  'counts the pages of %s in Playwright, and those that block it, without frames from other hosts',
  async (_, code, counts) => {
    const main = `const { chromium } = require('playwright'); module.exports = async () => { ${code} };`;
    const { finish } = await run(main.replaceAll('SITE', `'${site()}/'`), { lock });
    expect(finish.error_stack).toBeNull();
    expect(finish.requests).toEqual([{ host: new URL(site()).host, ...counts }]);
  },
);

test('a run says that Trawl does not see the pages of Playwright: when it is recorded, when it replays, and when it fails', async () => {
  const main = `const { chromium } = require('playwright'); module.exports = ${READS}`.replaceAll(
    'SITE',
    `'${site()}/'`,
  );
  const warnings = async (code: string, options: object) => {
    const { finish, echoes } = await run(code, { lock, ...options });
    return { id: finish.id, texts: echoes.filter(({ type }) => type === 'warn').map(({ msg }) => msg) };
  };
  const pages = 'the pages of Playwright: Trawl sees only those of Puppeteer.';
  const { id, texts } = await warnings(main, { record: true });
  expect(texts).toEqual([`The record of this run lacks ${pages} A replay has no answers for them.`]);
  const replay = await warnings(main, { replay: { of: id, on_miss: 'fail' } });
  expect(replay.texts).toEqual([`A replay cannot answer: ${pages}`, `What this run saw lacks ${pages}`]);
  const failed = await warnings(main.replace('return title', 'throw new Error(title)'), {});
  expect(failed.texts).toEqual([`What this run saw lacks ${pages}`]);
});

test('Playwright’s other browsers throw an error that says what to use', async () => {
  const { finish } = await run("module.exports = () => require('playwright').firefox.launch();", { lock });
  expect(finish.error_stack).toContain('playwright: a worker has no firefox, only Chromium. Use playwright.chromium.');
});
