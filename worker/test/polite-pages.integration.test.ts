import type { StorageAnswer } from '@trawl/contracts';
import { RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import { installed, publishedLock } from './published-lock.js';
import { workerWithSite } from './worker-with-site.js';

const registry = new RegistryStandIn();
let lock: string;
/** Paths that the site has got, in order, without robots.txt and what pages load. */
let seen: string[];
/** Requests that may be in progress; null if they are not limited. */
let limit: number | null;
let calls: { method: string; args: any }[];

beforeAll(() => registry.open());
afterAll(() => registry.close());

const PAGE = `<!doctype html><title>Shop</title><a href="/linked">next</a><img src="/image"><iframe src="/frame"></iframe>`;
const { platform, site, run } = workerWithSite(
  ({ url = '' }, response) => {
    seen.push(url);
    response.setHeader('content-type', 'text/html');
    if (url === '/robots.txt') response.end('User-agent: *\nDisallow: /private');
    else if (url === '/moved') response.writeHead(302, { location: '/target' }).end();
    else if (url === '/never') return;
    else if (url === '/busy') response.writeHead(429, { 'retry-after': '7' }).end('busy');
    else if (url === '/frame' || url === '/image') response.end('small');
    else response.end(PAGE);
  },
  // A getter, because the registry has no address before it is open.
  {
    get TRAWL_NPM_REGISTRY() {
      return registry.url;
    },
  },
);

beforeAll(async () => {
  lock = await publishedLock(registry, platform, { 'playwright-core': installed('playwright-core') });
});
beforeEach(() => {
  seen = [];
  limit = null;
  calls = [];
  platform.answerStorage = ({ op: { method, args } }): StorageAnswer => {
    const sent = JSON.parse(Buffer.from(args).toString());
    calls.push({ method, args: sent });
    const slot = { granted: 1, start_ms: 0, interval_ms: 1, wait_ms: 0, is_closed: false, robots: 'obey' };
    const slots = sent.domains?.map(([domain, wanted, , holds = 0]: [string, number, boolean, number?]) => ({
      domain,
      ...slot,
      ...(limit && { granted: Math.max(0, Math.min(wanted, limit - holds)), wait_ms: 50, is_limited: true }),
    }));
    return { result: Buffer.from(JSON.stringify(method === 'closeDomain' ? { closed_ms: 5 } : { slots })) };
  };
});

const reservations = () => calls.filter(({ method }) => method === 'reserveSlots').length;
const LIBRARIES = [
  ['Puppeteer', `const browser = await require('puppeteer').launch(); const page = await browser.newPage();`],
  [
    'Playwright',
    `const browser = await require('playwright-core').chromium.launch(); const page = await browser.newPage();`,
  ],
  [
    'a profile of Playwright',
    `const browser = await require('playwright-core').chromium.launchPersistentContext('profile');
     const page = browser.pages()[0];`,
  ],
];
const skript = (launch: string, code: string) => `module.exports = async ({ site }) => {
  ${launch}
  const result = await (async () => { ${code} })();
  await browser.close();
  return result;
};`;
const visit = (launch: string, code: string, options: object = { polite: true }) =>
  run(skript(launch, code), { lock, input: JSON.stringify({ site: site() }), ...options });

describe.each(LIBRARIES)('pages of %s', (_, launch) => {
  test('each page takes a slot, after a redirect and a click too; what it loads takes none', async () => {
    const { finish } = await visit(
      launch,
      `await page.goto(site + '/moved');
       await Promise.all([page.waitForNavigation(), page.click('a')]);
       return new URL(page.url()).pathname;`,
    );
    expect([finish.error_stack, finish.output]).toEqual([null, '"/linked"']);
    const pages = seen.filter(path => !['/frame', '/image', '/favicon.ico'].includes(path));
    expect(pages).toEqual(['/robots.txt', '/moved', '/target', '/linked']);
    expect(reservations()).toBe(4);
  });

  test('a page that robots.txt disallows fails, and a warning names the rule', async () => {
    const { finish, echoes } = await visit(
      launch,
      `return page.goto(site + '/private').catch(error => error.message);`,
    );
    expect(finish.output).toContain('net::ERR_BLOCKED_BY_CLIENT');
    const warning = `robots.txt of ${new URL(site()).host} disallows /private: line 2, Disallow: /private`;
    expect(echoes).toContainEqual(expect.objectContaining({ type: 'warn', msg: expect.stringContaining(warning) }));
    expect(seen).toEqual(['/robots.txt']);
  });

  test('a page that answers 429 closes the domain', async () => {
    await visit(launch, `await page.goto(site + '/busy');`);
    expect(calls).toContainEqual({
      method: 'closeDomain',
      args: { domain: new URL(site()).host, retry_after_ms: 7_000 },
    });
  });

  test('a page gives its place back when its answer begins, when it is closed, or when it goes elsewhere', async () => {
    limit = 1;
    const { finish } = await visit(
      launch,
      `const other = await browser.newPage();
       await other.goto(site + '/never', { timeout: 1_000 }).catch(() => {});
       await other.goto(site + '/first');
       await other.goto(site + '/never', { timeout: 1_000 }).catch(() => {});
       await other.close();
       await page.goto(site + '/moved');
       return new URL(page.url()).pathname;`,
    );
    expect([finish.error_stack, finish.output]).toEqual([null, '"/target"']);
    const pages = seen.filter(path => !['/frame', '/image', '/favicon.ico'].includes(path));
    expect(pages).toEqual(['/robots.txt', '/never', '/first', '/never', '/moved', '/target']);
  });

  test('pages of a run that is not polite take no slots', async () => {
    await visit(launch, `await page.goto(site);`, {});
    expect([seen[0], calls]).toEqual(['/', []]);
  });
});

test('the interception of a skript works as usual, and a request that it aborts takes no slot', async () => {
  const { finish } = await visit(
    LIBRARIES[0]?.[1] ?? '',
    `await page.setRequestInterception(true);
     page.on('request', request => {
       if (request.url().endsWith('/aborted')) request.abort();
       else if (request.url().endsWith('/own')) request.respond({ body: 'own' });
       else request.continue();
     });
     const failed = await page.goto(site + '/aborted').catch(error => error.message);
     const own = await (await page.goto(site + '/own')).text();
     return [failed.split(' ')[0], own, (await page.goto(site + '/page')).status()];`,
  );
  expect([finish.error_stack, finish.output]).toEqual([null, '["net::ERR_FAILED","own",200]']);
  expect(seen.slice(0, 2)).toEqual(['/robots.txt', '/page']);
  expect(reservations()).toBe(2);
});

test('a polite run is recorded, too', async () => {
  const { finish } = await visit(LIBRARIES[0]?.[1] ?? '', `await page.goto(site);`, { polite: true, record: true });
  expect(finish.error_stack).toBeNull();
  expect(reservations()).toBe(2);
  const replay = await run(skript(LIBRARIES[0]?.[1] ?? '', `return (await page.goto(site)).status();`), {
    lock,
    input: JSON.stringify({ site: site() }),
    replay: { of: finish.id, on_miss: 'fail' },
  });
  expect(replay.finish.output).toBe('200');
});
