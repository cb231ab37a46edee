import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { workerWithSite } from './worker-with-site.js';

// A long timeout, because Chromium is slow on a busy machine and is unpacked at its first start.
/** Shows the headers of the request, and what the page finds when its script starts. */
const MIRROR = (headers: object) => `<!doctype html><title>Mirror</title><img src="/picture.png">
<pre id="headers">${JSON.stringify(headers)}</pre><pre id="found"></pre><script>
  found.textContent = JSON.stringify({
    local: { ...localStorage }, session: { ...sessionStorage }, early: window.early, width: innerWidth,
    agent: navigator.userAgent,
  });
  document.cookie = 'seen=yes';
  setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p id="late">late</p>'); }, 50);
</script>`;

const FORM = `<!doctype html><title>Form</title><h1>Order</h1>
<select id="size"><option value="s">Small</option><option value="l">Large</option><option value="xl">Very large</option></select>
<input id="name" value="old"><input id="plain" value="old">
<input type="radio" name="pay" value="card" checked><input type="radio" name="pay" value="cash">
<input type="checkbox" name="extra" value="gift" checked><input type="checkbox" name="extra" value="card">
<nav><a href="#one">Page 1</a> <a href="#two">Page 2</a> <a href="#it">It's "quoted"</a></nav>
<div style="height: 3000px"></div><p id="end">end</p><div id="feed"></div>
<script>
  window.events = [];
  for (const type of ['input', 'change', 'click']) {
    document.addEventListener(type, ({ target }) => window.events.push(type + ' ' + (target.id || target.value || target.hash)));
  }
  let added = 0;
  const add = () => { feed.insertAdjacentHTML('beforeend', '<p class="post">post ' + ++added + '</p>'); };
  add();
  addEventListener('scroll', () => { if (window.isFeeding && added < 3) add(); });
</script>`;

const requests: string[] = [];
const listener: RequestListener = ({ url = '', headers }, response) => {
  requests.push(url);
  const html = (text: string, status = 200) => {
    response.writeHead(status, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
    response.end(gzipSync(text));
  };
  if (url === '/moved') response.writeHead(302, { location: '/mirror' }).end();
  else if (url === '/mirror') html(MIRROR(headers));
  else if (url === '/missing') html('<h1>Nothing here</h1>', 404);
  else if (url === '/popup')
    html('<button onclick="this.remove(); document.title = \'open\'">Accept</button><p>shop</p>');
  else if (url.startsWith('/api')) response.end('{}');
  else html(FORM);
};

const { site, run, output } = workerWithSite(listener);

describe('a function that Puppeteer has removed', () => {
  const calling = () => `
    const puppeteer = require('puppeteer');
    let runs = 0;
    module.exports = async () => {
      runs += 1;
      const browser = await puppeteer.launch({
        executablePath: '', headless: false, devtools: true, args: ['--start-maximized', '--display=:0'],
      });
      await browser.close();
      const second = await puppeteer.launch({ headless: false });
      const page = await second.newPage();
      await page.emulate(puppeteer.devices['iPhone X']);
      await page.goto('${site()}/form');
      const nav = await page.$('nav');
      const texts = handles => Promise.all(handles.map(handle => handle.evaluate(node => node.textContent)));
      const found = await texts([
        ...await page.$x('//h1'), ...await page.mainFrame().$x('//h1/text()'), ...await nav.$x('./a[1]'),
        await page.waitForXPath('//h1', { timeout: 5000 }), await nav.waitForXPath('a[2]'),
        await page.waitFor('h1'), await page.waitFor('//nav/a[1]'), await page.mainFrame().waitFor('(//nav/a)[2]'),
      ]);
      const waited = await page.waitFor(count => document.querySelectorAll('nav a').length === count && 'yes', {}, 3);
      const errors = await Promise.all([
        page.waitForXPath('//h7', { timeout: 1 }), page.waitFor(null),
      ].map(call => call.catch(error => error.name + ': ' + error.message)));
      await page.waitFor(1);
      await page.waitForTimeout(1);
      await page.mainFrame().waitForTimeout(1);
      await page._client.send('Emulation.setScriptExecutionDisabled', { value: false });
      const context = await second.createIncognitoBrowserContext();
      const descriptors = require('puppeteer/DeviceDescriptors');
      await (await context.newPage()).emulate(descriptors['Pixel 5']);
      await context.close();
      const { TimeoutError } = require('puppeteer-core').errors;
      const isTimeout = await page.waitForSelector('#none', { timeout: 1 }).catch(error => [
        error instanceof TimeoutError, error instanceof puppeteer.default.errors.TimeoutError,
      ]);
      const value = await waited.jsonValue();
      const isPhone = (await page.evaluate(() => navigator.userAgent)).includes('iPhone');
      await second.close();
      return { runs, found, value, errors, isPhone, isTimeout };
    };`;

  test('still works in a skript, with one warning in each run', async () => {
    const skript = calling();
    for (const runs of [1, 2]) {
      const { finish, echoes } = await run(skript, { warm: true });
      expect(finish.error_stack).toBeNull();
      expect(JSON.parse(finish.output ?? '')).toEqual({
        runs,
        found: ['Order', 'Order', 'Page 1', 'Order', 'Page 2', 'Order', 'Page 1', 'Page 2'],
        value: 'yes',
        errors: [expect.stringMatching(/^TimeoutError: .*h7/), expect.stringMatching(/^TypeError: waitFor .* null/)],
        isPhone: true,
        isTimeout: [true, true],
      });
      const removed = (name: string, replacement: string) =>
        `Puppeteer has removed ${name}. Trawl keeps it for older skripts; use ${replacement} instead.`;
      const screen = (option: string) =>
        `puppeteer.launch: a run has no screen, so it ignores ${option}. Leave it out.`;
      expect(echoes.map(({ type, msg }) => `${type} ${msg}`)).toEqual(
        [
          screen('headless: false'),
          screen('devtools: true'),
          removed('devices', 'KnownDevices'),
          removed('$x', "$$('xpath/…')"),
          removed('waitForXPath', "waitForSelector('xpath/…')"),
          removed('waitFor', 'waitForSelector, waitForFunction or setTimeout'),
          removed('waitForTimeout', 'new Promise(resolve => setTimeout(resolve, ms))'),
          removed('page._client', 'page.createCDPSession()'),
          removed('createIncognitoBrowserContext', 'createBrowserContext'),
        ].map(text => `warn ${text}`),
      );
    }
  });
});

describe('@mikosoft/httpclient-pptr', () => {
  const asking = (name: string, body: string) => `
    const puppeteer = require('puppeteer-core');
    const { HttpClientPptr, HttpClientPptr_v2 } = require('${name}');
    const seen = html => JSON.parse(html.match(/id="found">(.*?)</)[1]);
    const sent = html => JSON.parse(html.match(/id="headers">(.*?)</)[1]);
    module.exports = async () => {
      const site = '${site()}';
      ${body}
    };`;

  test('version 3 loads a page with device, cookies, storage, headers and functions', async () => {
    requests.length = 0;
    const found = await output(
      asking(
        '@mikosoft/httpclient-pptr',
        `const hcp = new HttpClientPptr({
          puppeteerLaunchOptions: { executablePath: '', args: [], defaultViewport: null },
          device: null, cookies: null, storage: null, evaluateOnNewDocument_callback: null,
          extraRequestHeaders: { 'x-number': 7 }, blockResources: ['image'], gotoOpts: { waitUntil: 'load' },
          closeBrowser: true, waitCSSselector: { selector: '#late' }, postGoto: page => page.title(), debug: false,
        });
        hcp.injectPuppeteer(puppeteer);
        hcp.set_executablePath({ linux: '', win32: '', darwin: '' });
        hcp.set_window(1000, 800, 10, 10);
        hcp.set_device({ name: 'Mine', userAgent: 'Older', viewport: { width: 700, height: 500 } });
        hcp.set_cookies([{ name: 'a', value: '1', domain: '127.0.0.1' }, { name: 'b', value: '2' }]);
        hcp.set_storage({ local: { text: 'x', list: [1] }, session: { n: 1 } });
        hcp.set_evaluateOnNewDocument(() => { window.early = true; });
        const answer = await hcp.askOnce(site + '/moved');
        hcp.print(answer);
        return { ...answer, res: { ...answer.res, content: [seen(answer.res.content), sent(answer.res.content), answer.res.content.includes('late</p>')] } };`,
      ),
    );
    expect(found).toMatchObject({
      requestMethod: 'GET',
      requestURL: `${site()}/moved`,
      finalURL: `${site()}/mirror`,
      status: 200,
      statusMessage: 'OK',
      decompressed: true,
      https: false,
      req: { headers: { 'x-number': '7', 'user-agent': 'Older' } },
      res: {
        headers: { 'content-encoding': 'gzip' },
        content: [
          { local: { text: 'x', list: '[1]' }, session: { n: '1' }, early: true, width: 700, agent: 'Older' },
          { 'x-number': '7', 'user-agent': 'Older', cookie: 'a=1; b=2' },
          true,
        ],
        cookies: expect.arrayContaining(['a', 'b', 'seen'].map(name => expect.objectContaining({ name }))),
        postGotoResult: 'Mirror',
      },
      time: { req: expect.any(String), res: expect.any(String), duration: expect.any(Number) },
    });
    expect(requests).toEqual(['/moved', '/mirror']);
  });

  test('returns an answer with a status when the page cannot be loaded', async () => {
    const found = await output(
      asking(
        '@mikosoft/httpclient-pptr',
        `const answer = await new HttpClientPptr().askOnce('no-such-host.invalid');
        const slow = await new HttpClientPptr({ gotoOpts: { timeout: 1 } }).askOnce(site);
        const invalid = await new HttpClientPptr().askOnce('http://');
        const without = await new HttpClientPptr().askOnce().catch(error => error.message);
        const spaces = [false, true].map(encodeURI => new HttpClientPptr({ encodeURI })._correctUrl(' a.example/é  b '));
        const script = await new HttpClientPptr({ postGoto: page => page.goto(site + '/missing') }).askOnce(site);
        const thrown = [];
        try { new HttpClientPptr().set_device('Abacus'); } catch (error) { thrown.push(error.message); }
        const missing = await new HttpClientPptr({ device: 'iPhone 15' }).askOnce(site.slice('http://'.length) + '/missing');
        const late = await new HttpClientPptr({ waitCSSselector: { selector: '#never', timeout: 1 } }).askOnce(site + '/mirror');
        const device = await new HttpClientPptr({ device: 'Abacus' }).askOnce(site).catch(error => error.message);
        const defaults = new HttpClientPptr();
        defaults.set_window(1000, 800, 1, 2);
        const sized = defaults.opts.puppeteerLaunchOptions;
        defaults.set_executablePath();
        const { executablePath } = defaults.opts.puppeteerLaunchOptions;
        const own = await new HttpClientPptr({ postGoto: () => { throw new Error('mine'); } }).askOnce(site).catch(error => error.message);
        const again = new HttpClientPptr({ cookies: late.res.cookies });
        const cookie = sent((await again.askOnce(site + '/mirror')).res.content).cookie;
        return {
          failed: [answer.requestURL, answer.finalURL, answer.status, answer.statusMessage, answer.https, answer.res.content],
          statuses: [slow.status, invalid.status],
          without, spaces, thrown, script: [script.status, script.finalURL],
          missing: [missing.status, missing.statusMessage, missing.res.content.includes('Nothing here')],
          late: [late.status, late.statusMessage, late.res.content.includes('Mirror')],
          device, own, cookie, sized, executablePath,
        };`,
      ),
    );
    expect(found).toEqual({
      failed: [
        'http://no-such-host.invalid',
        '',
        503,
        expect.stringMatching(/^The pptr page\.goto\(\) error: net::ERR_/),
        null,
        null,
      ],
      statuses: [408, 500],
      without: expect.stringMatching(/^URL is not defined\b/),
      spaces: ['http://a.example/é%20b', 'http://a.example/%C3%A9%20%20b'],
      thrown: [expect.stringContaining("There is no device 'Abacus'.")],
      script: [404, `${site()}/missing`],
      missing: [404, 'Not Found', true],
      late: [408, expect.stringMatching(/^The pptr page\.waitForSelector\(\) waitCSSselector error: .*#never/), true],
      device: expect.stringContaining("There is no device 'Abacus'."),
      own: 'mine',
      cookie: 'seen=yes',
      sized: {
        executablePath: '',
        headless: true,
        devtools: false,
        dumpio: false,
        slowMo: 13,
        args: ['--start-maximized', '--window-size=1000,800', '--window-position=1,2'],
        ignoreDefaultArgs: ['--enable-automation'],
        defaultViewport: null,
      },
      executablePath: '/usr/bin/google-chrome',
    });
  });

  test('exports version 2 as the main class if the bundle requires it', async () => {
    requests.length = 0;
    const found = await output(
      asking(
        '@mikosoft/httpclient-pptr/v2',
        `const options = {
          headless: false, windowPosition: [700, 20], timeout: 30000, referer: site + '/from', block: ['image'], scroll: true,
          waitUntil: 'networkidle2', argsAppend: [], extraHeaders: { 'x-name': 'two' }, closeBrowser: true,
          closePopups: [], debug: false,
        };
        const hcp = new HttpClientPptr(options);
        hcp.injectPuppeteer(puppeteer);
        hcp.defineExecutablePath();
        hcp.setDeviceObject('Desktop Windows');
        const moved = await hcp.ask(site + '/moved');
        const popup = new HttpClientPptr_v2({ closePopups: ['button', '#none'], timeout: 5000 });
        popup.setDeviceObject('Mine', [{ name: 'Mine', userAgent: 'Mine', viewport: { width: 400, height: 300 } }]);
        const closed = await popup.askOnce(site + '/popup');
        const failed = await new HttpClientPptr().ask('http://no-such-host.invalid/');
        const waiting = waitCSSselector => new HttpClientPptr({ waitCSSselector, block: ['image'] }).ask(site + '/mirror');
        const [found, never] = [await waiting('#late'), await waiting({ selector: '#never', timeout: 1 })];
        return {
          waited: [found.status, found.res.content.includes('late</p>'), never.status, never.statusMessage],
          same: HttpClientPptr === HttpClientPptr_v2,
          moved: { ...moved, res: [seen(moved.res.content).agent, sent(moved.res.content)] },
          closed: [closed.redirectedURL ?? null, closed.req.headers['user-agent'], closed.res.content.includes('button'), closed.status],
          failed: [failed.status, failed.statusMessage],
          start: closed.res.content.slice(0, 6),
        };`,
      ),
    );
    expect(found).toMatchObject({
      same: true,
      moved: {
        requestURL: `${site()}/moved`,
        redirectedURL: `${site()}/mirror`,
        requestMethod: 'GET',
        status: 302,
        statusMessage: 'Found',
        gzip: false,
        deflate: false,
        https: false,
        req: { headers: { referer: `${site()}/from` } },
        res: [
          expect.stringMatching(/^Mozilla\/5\.0 \(Windows NT 10\.0; Win64; x64\) .* Chrome\/\d/),
          { 'x-name': 'two', referer: `${site()}/from` },
        ],
      },
      waited: [200, true, 408, expect.stringContaining('#never')],
      closed: [`${site()}/popup`, 'Mine', false, 408],
      failed: [400, expect.stringMatching(/^The pptr page\.goto\(\) error: net::ERR_/)],
      start: '<html>',
    });
    expect(requests).not.toContain('/picture.png');
  });
});

test('an older skript can use PptrPlus together with its echo and functionflow', async () => {
  const { finish, echoes } = await run({
    'manifest.json': JSON.stringify({
      title: 'Older',
      category: 'general',
      environment: 'browser',
      worker_response_timeout: 5000,
    }),
    'package.json': JSON.stringify({
      dependencies: { puppeteer: '^12.0.0', 'pptr-plus': '^1.0.0', '@mikosoft/echo': '*' },
    }),
    'main.js': `
      const FunctionFlow = require('@mikosoft/functionflow');
      const Echo = require('@mikosoft/echo');
      const openPage = require('./openPage.js');
      const fillForm = require('./fillForm.js');
      const readPage = require('./readPage.js');
      module.exports = async (input, inputSecret) => {
        const eventEmitter = global.dex8.eventEmitter;
        eventEmitter.setMaxListeners(5);
        const ff = new FunctionFlow({ debug: false, msDelay: 0 }, eventEmitter);
        ff.xInject({});
        ff.libInject({ eventEmitter, echo: new Echo(true, 1, eventEmitter), site: '${site()}' });
        await ff.serial([openPage, fillForm, readPage]);
        return ff.x;
      };`,
    'openPage.js': `
      const puppeteer = require('puppeteer');
      const PptrPlus = require('pptr-plus');
      module.exports = async (x, lib) => {
        x.browser = await puppeteer.launch({ headless: true });
        x.page = await x.browser.newPage();
        await x.page.goto(lib.site + '/form');
        x.pp = new PptrPlus(x.page);
        await lib.echo.log('opened', await x.page.title());
        return x;
      };`,
    'fillForm.js': `
      module.exports = async (x, lib) => {
        const { pp, page } = x;
        const values = () => page.evaluate(() => ({
          size: size.value, name: document.getElementById('name').value, plain: plain.value,
          checked: [...document.querySelectorAll(':checked')].map(({ value }) => value),
        }));
        const errorOf = call => call.catch(error => error.message);
        await pp.selectOptionByText('#size', 'arge');
        x.first = (await values()).size;
        await pp.selectOptionByText('#size', 'Very');
        await pp.inputClear('#name');
        await pp.inputType('#name', 'new');
        await pp.inputSetValue('#plain', 'set');
        await pp.inputSetValue('[name=pay]', 'cash');
        await pp.inputSetValue('[name=extra]', 'card');
        x.filled = await values();
        await pp.selectOptionByValue('#size', 's');
        x.second = (await values()).size;
        await pp.selectOptionByValue('#size', 'none');
        x.second += (await values()).size;
        x.errors = [await errorOf(pp.scrollToElement(page, '#none'))];
        const late = [pp.selectOptionByText('#later', 'Two'), pp.inputSetValue('#latest', 'set')];
        await page.evaluate(() => document.body.insertAdjacentHTML('beforeend',
          '<input id="late"><select id="later"><option>One<option>Two</select><input id="latest">'));
        await Promise.all(late);
        await pp.inputType('#late', 'typed');
        await pp.inputType('#late', ' more');
        x.late = await page.evaluate(() => [late.value, later.value, latest.value]);
        await pp.clickElemWithText('//nav/a', 'Page 2');
        const hash = () => page.evaluate(() => location.hash);
        x.clicked = [await hash()];
        await pp.clickElemWithText('//nav/a', 'It\\'s "quoted"', true);
        x.clicked.push(await hash());
        await pp.clickElemWithText_bubles('//nav/a', 'Page 1', true);
        x.clicked.push(await hash());
        await page.evaluate(() => document.querySelector('nav').insertAdjacentHTML('afterbegin',
          '<a href="#inner"><b>Page 9</b></a><a href="#own">Page 9 <b>new</b></a>'));
        await pp.clickElemWithText('//nav/a', 'Page 9');
        x.clicked.push(await hash());
        page.setDefaultTimeout(200);
        x.errors.push(...await Promise.all([
          pp.inputSetValue('#none', '1'), pp.inputType('#none', '1'), pp.clickElemWithText_bubles('//nav/a', 'Page', true),
        ].map(errorOf)));
        x.errors.push(await errorOf(pp.checkTextOnPage('no such text')));
        page.setDefaultTimeout(30000);
        x.events = await page.evaluate(() => window.events);
        return x;
      };`,
    'readPage.js': `
      const fs = require('fs');
      module.exports = async (x, lib) => {
        const { pp, page, browser } = x;
        const y = () => page.evaluate(() => Math.round(scrollY));
        const height = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
        x.positions = {};
        await pp.scrollToElement(page, '#end');
        x.positions.element = await y() > 2000;
        await pp.scrollToElement(page, 'h1', 'start');
        x.positions.start = await y() < 100;
        const { scrollTop, scrollCounter } = await pp.scrollToBottomEasy(50);
        x.positions.easy = await y() >= height && Math.round(scrollTop) === await y();
        x.counters = [scrollCounter > 2];
        await pp.scrollToElement(page, 'h1', 'start');
        await pp.scrollToBottom(page);
        x.positions.bottom = await y() >= height;
        await pp.scrollToElement(page, 'h1', 'start');
        await pp.scrollToBottom(50);
        x.positions.withDelay = await y() >= height;
        await page.evaluate(() => { window.isFeeding = true; scrollTo(0, 0); });
        x.counters.push(await pp.autoscroll('.post', 200));
        x.posts = (await page.$$('.post')).length;
        x.text = await pp.checkTextOnPage('Order');
        const response = pp.waitURLContains('/api/price');
        await page.evaluate(() => fetch('/api/price?of=1'));
        await response;
        x.html = await pp.elementHandle2HTML(await page.$('h1'));
        await pp.saveScreenshot('shots/deep', 'one');
        await pp.saveScreenshot('shots', 'two.jpg');
        x.pictures = ['shots/deep/one.jpg', 'shots/two.jpg'].map(path => fs.readFileSync(path).subarray(0, 2).toString('hex'));
        await page.evaluate(() => { document.cookie = 'kept=1'; localStorage.a = 'b'; sessionStorage.c = 'd'; });
        await pp.cookieSave('saved/cookies.json');
        await pp.storageSave('saved/local.json');
        await pp.storageSave('saved/session.json', 'sessionStorage');
        fs.writeFileSync('bad.json', '{');
        const bad = await pp.cookieTake('bad.json').catch(error => error.message);
        const other = await (await browser.createBrowserContext()).newPage();
        const taking = new pp.constructor(other.mainFrame());
        x.taken = [await taking.cookieTake('saved/cookies.json'), await taking.cookieTake('none.json'), bad];
        await other.goto(lib.site + '/form');
        x.taken.push(await taking.storageTake('saved/local.json'), await taking.storageTake('saved/session.json', 'sessionStorage'));
        x.taken.push(await other.evaluate(() => [document.cookie, { ...localStorage }, { ...sessionStorage }]));
        await browser.close();
        await lib.echo.objekt({ posts: x.posts });
        const { browser: b, page: p, pp: plus, ...output } = x;
        return output;
      };`,
  });
  expect(finish.error_stack).toBeNull();
  expect(JSON.parse(finish.output ?? '')).toEqual({
    first: 'l',
    filled: { size: 'xl', name: 'new', plain: 'set', checked: ['xl', 'cash', 'gift', 'card'] },
    second: 'ss',
    late: ['typed more', 'Two', 'set'],
    errors: [
      'Element with selector "#none" not found.',
      ...Array(2).fill(expect.stringContaining('#none')),
      expect.stringContaining('//nav/a'),
      expect.stringContaining('200ms exceeded'),
    ],
    // An event of a click follows no link.
    clicked: ['#two', '#it', '#it', '#own'],
    events: expect.arrayContaining([
      'input size',
      'change size',
      'input plain',
      'change cash',
      'change card',
      'click #one',
    ]),
    positions: { element: true, start: true, easy: true, bottom: true, withDelay: true },
    posts: 3,
    counters: [true, { lastElemContent: 'post 3', scrollCounter: expect.any(Number) }],
    text: true,
    html: '<h1>Order</h1>',
    pictures: ['ffd8', 'ffd8'],
    taken: [
      true,
      false,
      expect.stringContaining('bad.json is not valid JSON'),
      true,
      true,
      ['kept=1', { a: 'b' }, { c: 'd' }],
    ],
  });
  expect(echoes.map(({ type, msg }) => `${type} ${msg}`)).toEqual(['log opened Form', 'objekt {"posts":3}']);
});
