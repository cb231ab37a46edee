import { randomUUID } from 'node:crypto';
import { type Echo, LIMITS } from '@trawl/contracts';
import { gone, processesNaming } from './left-processes.js';
import { readEvidence } from './read-evidence.js';
import { firstEcho } from './run-processes.js';
import { BROWSER, workerWithSite } from './worker-with-site.js';

// A long timeout, because Chromium is slow on a busy machine and is unpacked at its first start.
/** A page whose script adds the prices. */
const SHOP = `<!doctype html><title>Prices</title><ul></ul><script>
  for (const price of ['12.50', '7.90']) {
    const item = document.createElement('li');
    item.textContent = price;
    document.querySelector('ul').append(item);
  }
</script>`;

/** Starts a worker whose runs may reach a small shop. */
function workerWithShop(environment: Record<string, string>) {
  const { site: shop, ...rest } = workerWithSite((request, response) => {
    if (request.url === '/file') {
      response.setHeader('content-disposition', 'attachment; filename="prices.csv"');
      response.end('12.50\n7.90\n');
    } else if (request.url === '/moved') {
      response.writeHead(302, { location: '/forbidden' }).end();
    } else if (request.url === '/forbidden') {
      response.writeHead(403, { 'content-type': 'text/html' }).end('Forbidden');
    } else if (request.url === '/challenge') {
      response.setHeader('content-type', 'text/html');
      response.end('<title>Just a moment...</title>');
    } else if (request.url === '/frames') {
      const other = `http://localhost:${request.socket.localPort}/forbidden`;
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="/challenge"></iframe><iframe src="${other}"></iframe>`);
    } else {
      response.setHeader('content-type', 'text/html');
      response.end(SHOP);
    }
  }, environment);
  return { shop, ...rest };
}

describe('with Chromium in the sandbox', () => {
  const { platform, shop, run, output } = workerWithShop({});

  test('the worker offers the environment `browser`', () => {
    expect(platform.hellos[0]?.environments).toEqual(['nodejs', 'browser']);
  });

  test('a skript reads rendered content and echoes a screenshot', async () => {
    const { finish, echoes } = await run(`
      const puppeteer = require('puppeteer');
      const { echo } = require('@trawl/echo');
      module.exports = async () => {
        const browser = await puppeteer.launch({ headless: 'new', args: ['--no-sandbox', '--disable-setuid-sandbox'] });
        const page = await browser.newPage();
        await page.goto('${shop()}/');
        echo.image(await page.screenshot());
        const prices = await page.$$eval('li', items => items.map(item => item.textContent));
        await browser.close();
        return prices;
      };`);
    expect(finish.error_stack).toBeNull();
    expect(JSON.parse(finish.output ?? '')).toEqual(['12.50', '7.90']);
    expect(echoes.map(({ type }) => type)).toEqual(['image']);
    expect(echoes[0]?.msg).toMatch(/^data:image\/png;base64,/);
  });

  test.each([
    ['import of puppeteer-core', "import puppeteer, { TimeoutError } from 'puppeteer-core';", 'puppeteer'],
    ['import of names', "import { launch, TimeoutError } from 'puppeteer';", '{ launch }'],
    [
      'import() of puppeteer',
      "const loaded = import('puppeteer'); const { TimeoutError } = require('puppeteer');",
      '(await loaded).default',
    ],
  ])('%s can launch a browser too', async (_name, head, puppeteer) => {
    expect(
      await output(`${head}
      export default async () => {
        const browser = await (${puppeteer}).launch();
        const [page] = await browser.pages();
        const error = await page.waitForSelector('none', { timeout: 1 }).catch(error => error);
        const result = { version: await browser.version(), late: error instanceof TimeoutError, connected: browser.connected };
        await browser.close();
        return { ...result, after: browser.connected, ended: browser.process().exitCode !== null };
      };`),
    ).toEqual({ version: expect.stringMatching(/Chrom/), late: true, connected: true, after: false, ended: true });
  });

  test('pages and their frames that block a run are counted by host, without what they load', async () => {
    const { finish } = await run(
      `const puppeteer = require('puppeteer');
      module.exports = async () => {
        const browser = await puppeteer.launch();
        const page = await browser.newPage();
        for (const path of ['/', '/moved', '/challenge', '/frames', '/']) await page.goto('${shop()}' + path);
        await page.evaluate(() => fetch('/forbidden').then(answer => answer.text()));
        await browser.close();
      };`,
      { keeps_exchanges: true },
    );
    expect(finish.error_stack).toBeNull();
    expect(finish.requests).toEqual([{ host: new URL(shop()).host, count: 7, blocked: 3 }]);
  });

  test('a run that fails keeps what its page requested and printed, and the page itself', async () => {
    const code = (end: string) => `
      const puppeteer = require('puppeteer');
      module.exports = async () => {
        const browser = await puppeteer.launch();
        const page = await browser.newPage();
        await page.goto('${shop()}/list');
        await page.evaluate(() => { console.error('no', 42, 'prices'); return fetch('/data', { method: 'POST', body: 'page=2' }).then(answer => answer.text()); });
        ${end}
      };`;
    for (const end of ["throw new Error('broken');", "await browser.close(); throw new Error('broken');"]) {
      const id = await platform.start(code(end), { ...BROWSER, keeps_exchanges: true });
      expect((await platform.ended(id)).error_stack).toContain('broken');
      const evidence = await readEvidence(platform, id);
      const seen = evidence?.exchanges.map(({ via, method, url, status, body, request_body }) => [
        via,
        method,
        new URL(url).pathname,
        status,
        body?.data === SHOP,
        request_body?.data ?? null,
      ]);
      expect(seen).toEqual([
        ['browser', 'GET', '/list', 200, true, null],
        ['browser', 'POST', '/data', 200, true, 'page=2'],
      ]);
      expect(evidence?.page).toMatchObject({
        title: 'Prices',
        url: `${shop()}/list`,
        picture: expect.stringMatching(/^data:image\/jpeg;base64,/),
        html: expect.stringContaining('<li>12.50</li>'),
        console: [{ type: 'error', text: 'no 42 prices' }],
      });
    }
  });

  test('a run finds the downloads of its browser in its own folder', async () => {
    expect(
      await output(`
      const fs = require('node:fs');
      module.exports = async () => {
        const browser = await require('puppeteer').launch();
        const context = await browser.createBrowserContext();
        const read = {};
        for (const [name, home] of Object.entries({ default: browser, context })) {
          const page = await home.newPage();
          await page.goto('${shop()}/');
          await page.evaluate(() => { location.href = '/file'; });
          while (!fs.existsSync('downloads/prices.csv')) await new Promise(resolve => setTimeout(resolve, 20));
          read[name] = fs.readFileSync('downloads/prices.csv', 'utf8');
          fs.rmSync('downloads/prices.csv');
        }
        return read;
      };`),
    ).toEqual({ default: '12.50\n7.90\n', context: '12.50\n7.90\n' });
  });

  describe('a failed run echoes the page that it used last', () => {
    const failing = (rest: string) => `
      module.exports = async (input, secret) => {
        const browser = await require('puppeteer').launch();
        const page = await browser.newPage();
        await page.goto('${shop()}/');
        ${rest}
      };`;

    function expectEvidence(echoes: Echo[], words: string, html = 'li>12.50<') {
      expect(echoes.map(({ type }) => type)).toEqual(['error', 'image', 'objekt']);
      const [heading, picture, source] = echoes as [Echo, Echo, Echo];
      expect(heading.msg).toContain(words);
      expect(heading.msg).toContain(`Prices ${shop()}/`);
      expect(picture.msg).toMatch(/^data:image\/jpeg;base64,\/9j\//);
      const page = JSON.parse(source.msg)['page at the error'];
      expect(page).toMatchObject({ title: 'Prices', url: `${shop()}/` });
      expect(page.html).toContain(html);
    }

    test('if the page is still open', async () => {
      const { finish, echoes } = await run(failing("throw new Error('no price');"));
      expect(finish).toMatchObject({ action: 'error', error_code: 'exception' });
      expect(finish.error_stack).toContain('Error: no price\n    at module.exports (main.js:6:');
      expectEvidence(echoes, 'Page at the error:');
    });

    test('even if the skript closed the page in a finally block', async () => {
      const { finish, echoes } = await run(
        failing('try { null.price } finally { await page.close(); await browser.close(); }'),
      );
      expect(finish.error_stack).toContain("Cannot read properties of null (reading 'price')");
      expectEvidence(echoes, 'as it was when the skript closed it');
    });

    test('when it reaches its time limit', async () => {
      // A busy machine starts Chromium slowly, and the limit includes this start.
      const limits = { time_ms: 15_000, pause_ms: 3_600_000, output_bytes: LIMITS.outputBytes };
      const { finish, echoes } = await run(failing('await new Promise(() => {});'), { limits });
      expect(finish.error_code).toBe('time_limit');
      expectEvidence(echoes, 'Page at the error:');
    });

    test('even if the page shows a dialog', async () => {
      const { echoes } = await run(
        failing(
          "page.evaluate(() => { alert('wait'); }).catch(() => {}); await page.waitForSelector('none', { timeout: 500 });",
        ),
      );
      expectEvidence(echoes, 'Page at the error:');
    });

    test('as an error without a picture if the page does not answer', async () => {
      const { finish, echoes } = await run(
        failing("page.evaluate(() => { for (;;); }).catch(() => {}); throw new Error('no price');"),
      );
      expect(finish.error_stack).toContain('Error: no price');
      expect(echoes.map(({ type }) => type)).toEqual(['error']);
      expect(echoes[0]?.msg).toContain('did not answer');
    });

    test('without the values of its secret', async () => {
      const { echoes } = await run(
        failing(
          "await page.evaluate(word => { document.body.append(word); }, secret.word); throw new Error('no price');",
        ),
        { input_secret: JSON.stringify({ word: 'open-sesame-4711' }) },
      );
      expect(echoes.map(({ type }) => type)).toEqual(['error', 'image', 'objekt']);
      expect(JSON.stringify(echoes)).not.toContain('open-sesame-4711');
    });

    test('cut to the size of an echo', async () => {
      const { echoes } = await run(
        failing(
          `await page.evaluate(() => { document.body.append('"'.repeat(120_000)); }); throw new Error('no price');`,
        ),
      );
      expectEvidence(echoes, 'Page at the error:');
      expect(JSON.parse(echoes[2]?.msg ?? '')['page at the error'].html).toMatch(/… \[cut: \d+ more characters\]$/);
    });

    test('but no page if the skript opened none', async () => {
      const { echoes } = await run(`
        module.exports = async () => {
          const browser = await require('puppeteer').launch();
          await browser.newPage();
          throw new Error('before any page');
        };`);
      expect(echoes).toEqual([]);
    });
  });

  test('puppeteer.launch uses the prepared browser, or starts another one for other arguments', async () => {
    const seen = await output(`
      const fs = require('node:fs');
      const pids = () => fs.readdirSync('/proc').filter(name => {
        try {
          const parent = fs.readFileSync('/proc/' + name + '/stat', 'utf8').split(') ')[1].split(' ')[1];
          return Number(parent) === process.pid && fs.readFileSync('/proc/' + name + '/cmdline').length > 0;
        } catch {
          return false;
        }
      });
      const puppeteer = require('puppeteer');
      module.exports = async () => {
        const before = pids();
        const first = await puppeteer.launch({ headless: true, args: ['--no-sandbox'] });
        return { before, first: String(first.process().pid) };
      };`);
    expect(seen.before).toEqual([seen.first]);
    const other = await output(`
      module.exports = async () => {
        const browser = await require('puppeteer').launch({ args: ['--lang=de'] });
        return { connected: browser.connected };
      };`);
    expect(other).toEqual({ connected: true });
  });

  const ENDINGS: [name: string, code: string][] = [
    ['returns', 'return 1;'],
    ['never ends', 'for (;;);'],
    ['throws', "throw new Error('no');"],
    ['exits', 'process.exit(3);'],
  ];
  test.each(isFullTest ? ENDINGS : ENDINGS.slice(0, 2))(
    'the worker kills the browser of a stopped skript that %s',
    async (_name, rest) => {
      const mark = `Mark-${randomUUID()}`;
      const id = await platform.start(
        `
      const { spawn } = require('node:child_process');
      module.exports = async () => {
        const args = ['--user-agent=${mark}'];
        const browser = await require('puppeteer').launch({ args });
        await browser.newPage();
        spawn(process.env.CHROME_PATH, ['--no-sandbox', '--headless', '--user-data-dir=other', ...args, 'about:blank'], {
          detached: true, stdio: 'ignore' }).unref();
        require('@trawl/echo').echo.log('launched');
        await new Promise(resolve => global.trawl.eventEmitter.once('ff-stop', resolve));
        ${rest}
      };`,
        BROWSER,
      );
      await firstEcho(platform, id);
      expect(processesNaming(mark).length).toBeGreaterThanOrEqual(2);
      await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
      await platform.ended(id);
      await Promise.all(processesNaming(mark).map(gone));
      expect(processesNaming(mark)).toEqual([]);
    },
  );

  test('each run gets a browser with a fresh profile', async () => {
    const visit = () =>
      output(`
      module.exports = async () => {
        const browser = await require('puppeteer').launch();
        const page = await browser.newPage();
        await page.goto('${shop()}/');
        const found = await page.evaluate(() => localStorage.getItem('was') ?? document.cookie);
        await page.evaluate(() => { localStorage.setItem('was', 'here'); document.cookie = 'was=here; max-age=1000'; });
        await browser.close();
        return { found };
      };`);
    expect(await visit()).toEqual({ found: '' });
    expect(await visit()).toEqual({ found: '' });
  });

  test('a run can pass browser arguments, launch two browsers at a time, and keep a profile between launches', async () => {
    expect(
      await output(`
      const puppeteer = require('puppeteer');
      module.exports = async () => {
        const options = { userDataDir: 'mine', args: ['--user-agent=Somebody'], executablePath: '/no/such/chrome' };
        const first = await puppeteer.launch(options);
        const second = await puppeteer.launch({ defaultViewport: { width: 500, height: 400 } });
        const page = await first.newPage();
        await page.goto('${shop()}/');
        await page.evaluate(() => { localStorage.setItem('was', 'here'); });
        const agent = await page.evaluate(() => navigator.userAgent);
        const width = await (await second.newPage()).evaluate(() => innerWidth);
        await first.close();
        const again = await puppeteer.launch(options);
        const back = await again.newPage();
        await back.goto('${shop()}/');
        return { agent, width, was: await back.evaluate(() => localStorage.getItem('was')) };
      };`),
    ).toEqual({ agent: 'Somebody', width: 500, was: 'here' });
  });

  test.each([
    ["launch({ browser: 'firefox' })", 'a worker has no firefox'],
    ['launch({ debuggingPort: 9222 })', 'reached over a pipe'],
    [
      "launch({ args: ['--remote-debugging-port=0'], ignoreDefaultArgs: ['--remote-debugging-pipe'], env: { LD_PRELOAD: '' }, executablePath: '/bin/false' })",
      'Chromium did not start',
    ],
  ])('the error of puppeteer.%s explains what is wrong', async (call, words) => {
    const { finish } = await run(`module.exports = () => require('puppeteer').${call};`);
    expect(finish.error_stack).toContain(words);
  });

  test('in `nodejs`, launching puppeteer fails with a hint to use `browser`, and puppeteer-core loads', async () => {
    const environment = 'nodejs';
    const { finish } = await run("module.exports = () => require('puppeteer').launch();", { environment });
    expect(finish.error_stack).toContain('Set the environment of the skript to browser.');
    const core = await run("module.exports = () => typeof require('puppeteer-core').connect;", { environment });
    expect(core.finish.output).toBe('"function"');
  });
});

// isolation.integration.test.ts tests runs without a sandbox, and the tests above those with Chromium.
if (isFullTest)
  describe('with Chromium and without a sandbox', () => {
    const { shop, run } = workerWithShop({ TRAWL_SANDBOX: 'none' });

    test('a run reads a page, and echoes the page when it fails', async () => {
      const { finish, echoes } = await run(`
      const puppeteer = require('puppeteer');
      module.exports = async () => {
        const browser = await puppeteer.launch();
        const page = await browser.newPage();
        await page.goto('${shop()}/');
        throw new Error(await page.$$eval('li', items => items.map(item => item.textContent)));
      };`);
      expect(finish.error_stack).toContain('12.50,7.90');
      expect(echoes.map(({ type }) => type)).toEqual(['error', 'image', 'objekt']);
    });
  });
