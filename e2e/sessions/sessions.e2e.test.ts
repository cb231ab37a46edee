import { Child } from '../harness/child.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';
import { WorkerProcess } from '../harness/worker-process.js';

const platform = sharedPlatform();
let base_url: string;
let site: Child;

beforeAll(async () => {
  const port = await platform.reservedPort();
  base_url = `http://127.0.0.1:${port}`;
  site = new Child('examples/dist/practice-site/main.js', { PORT: String(port) });
  await site.start(async () => (await fetch(base_url)).ok);
});
afterAll(() => site?.kill('SIGTERM'));

/** The account that the login page of the practice shop shows. */
const PRACTICE_ACCOUNT = { username: 'first-mate', password: 'fair-winds' };
/** Runs of the test's own workers reach the shop. */
const allowed = () => ({ TRAWL_EGRESS_ALLOW: new URL(base_url).host });

/** Logs in to the practice shop if need be, and reads its members’ page. */
const MAIN = `
const { HttpClient } = require('@trawl/httpclient');
const { session } = require('@trawl/storage');

module.exports = async ({ base_url, name, account, kill, fail }) => {
  const shop = session(name);
  let logins = 0;
  await shop.check(async () => {
    logins += 1;
    if (kill) process.kill(process.pid, 'SIGKILL');
    const form = await shop.fetch(base_url + '/login');
    const csrf = /name="csrf" value="([^"]+)"/.exec(await form.text())[1];
    await shop.fetch(base_url + '/login', { method: 'POST', body: new URLSearchParams({ csrf, ...account }) });
  });
  const page = await shop.fetch(base_url + '/members');
  const client = new HttpClient({ cookieJar: shop, maxRedirects: 0 });
  const { status } = await client.html(base_url + '/members');
  const cookie = await shop.cookieHeader(base_url);
  console.log('The cookie is ' + cookie);
  const result = { logins, address: new URL(page.url).pathname, status, cookie };
  if (fail && logins > 0) throw new Error('failed with ' + JSON.stringify(result));
  return result;
};`;

const LOGGED_IN = { logins: 1, address: '/members', status: 200, cookie: expect.stringMatching(/^[^=]+=\[secret\]$/) };
const WITH_LOGIN = { ...LOGGED_IN, logins: 0 };
const input = (name: string, more: object = {}) => ({ base_url, name, account: PRACTICE_ACCOUNT, ...more });

async function finished(id: string): Promise<any> {
  const developer = await platform.as('developer');
  return until(async () => {
    const { body } = await developer('GET', `/joint-api/skript-execution/${id}`);
    return body.action !== 'start' && body;
  }, 'the end of the run');
}

it('three runs at once log in once, later runs have the login, and no echo or output shows it', async () => {
  const skripts = await Promise.all([1, 2, 3].map(n => platform.skript(`at once ${n}`, { 'main.js': MAIN })));
  const ids = await Promise.all(skripts.map(skript => platform.begin(skript, input('at-once'))));
  const outputs = await Promise.all(ids.map(async id => (await finished(id)).output));
  expect(outputs.map(({ logins }) => logins).sort()).toEqual([0, 0, 1]);
  const { body } = await platform.startRun(skripts[0] as string, input('at-once'));
  expect([...outputs, body.output].map(({ address }) => address)).toEqual(Array(4).fill('/members'));
  expect(body.output).toEqual(WITH_LOGIN);
  for (const id of [...ids, body.id]) {
    expect((await platform.echoes(id)).map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^The cookie is [^=]+=\[secret\]$/),
    ]);
  }
});

it('no echo and no error shows a cookie that is not saved yet', async () => {
  const main = `
    const { session } = require('@trawl/storage');
    const shop = session('unsaved');
    module.exports = async ({ base_url }) => {
      const read = async () => /=([^;]+)/.exec((await shop.fetch(base_url + '/login')).headers.get('set-cookie'))[1];
      let during;
      await shop.check(async () => {
        during = await read();
        console.log('during', during);
        process.stdout.write('printed ' + during + '\\n');
      });
      await shop.setCookies(['lines=first-line'], base_url);
      console.log('then', 'first-line', encodeURIComponent(during));
      throw new Error('failed with ' + during);
    };`;
  const skript = await platform.skript('unsaved', { 'main.js': main });
  const { body } = await platform.startRun(skript, { base_url });
  expect(body.error_stack).toContain('Error: failed with [secret]');
  expect((await platform.echoes(body.id)).map(({ msg }) => msg)).toEqual([
    'during [secret]',
    'printed [secret]',
    'then [secret] [secret]',
  ]);
});

it('when kill -9 ends a run during its login, the next run logs in', async () => {
  const killed = await platform.skript('killed', { 'main.js': MAIN });
  const next = await platform.skript('next', { 'main.js': MAIN });
  const { body } = await platform.startRun(killed, input('killed', { kill: true }));
  expect(body).toMatchObject({ action: 'error', error_stack: expect.stringContaining('SIGKILL') });
  expect((await platform.startRun(next, input('killed'))).body.output).toEqual(LOGGED_IN);
});

it('a page of Chromium has the login of a session, and its storage goes back into the session', async () => {
  const logIn = await platform.skript('log in', { 'main.js': MAIN });
  expect((await platform.startRun(logIn, input('browser'))).body.output).toEqual(LOGGED_IN);
  const main = `
    const { session } = require('@trawl/storage');
    module.exports = async ({ base_url, name, kept }) => {
      const browser = await require('puppeteer').launch();
      try {
        return await session(name).use(await browser.newPage(), async page => {
          await page.goto(base_url + '/members');
          const found = await page.evaluate(() => [localStorage.getItem('basket'), sessionStorage.getItem('tab')]);
          await page.evaluate(value => { localStorage.basket = value; sessionStorage.tab = value; }, kept);
          return { address: new URL(page.url()).pathname, found, agent: await page.evaluate('navigator.userAgent') };
        });
      } finally {
        await browser.close();
      }
    };`;
  const skript = await platform.skript('with a page', { 'main.js': main }, { environment: 'browser' });
  const first = (await platform.startRun(skript, input('browser', { kept: 'one' }))).body;
  expect(first).toMatchObject({ error_stack: null, output: { address: '/members', found: [null, null] } });
  const second = (await platform.startRun(skript, input('browser', { kept: 'two' }))).body.output;
  expect(second).toEqual({ ...first.output, found: ['one', 'one'] });
  expect((await platform.startRun(logIn, input('browser'))).body.output).toEqual(WITH_LOGIN);
});

it('a run has the login of one that failed on another worker', async () => {
  const admin = await platform.as('admin');
  const first = await platform.startOwnWorker(allowed());
  const skript = await platform.skript('retried', { 'main.js': MAIN });
  const failed = (await platform.startRun(skript, input('retried', { fail: true }))).body;
  expect(failed.error_stack).toMatch(/failed with .*\[secret\]/);
  const second = await WorkerProcess.start(
    admin,
    { name: 'another', public: false },
    { TRAWL_URL: platform.url, ...allowed() },
  );
  try {
    await admin('POST', `/joint-api/workers/${second.id}/assignments/addnew`, { user_id: platform.developerId });
    platform.workerId = second.id;
    expect(second.id).not.toBe(first.id);
    expect((await platform.startRun(skript, input('retried', { fail: true }))).body.output).toEqual(WITH_LOGIN);
  } finally {
    await second.close();
  }
});
