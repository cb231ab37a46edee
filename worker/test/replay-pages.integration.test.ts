import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Offer } from '@trawl/contracts';
import { connectedWorker } from './connected-worker.js';
import { readEvidence } from './read-evidence.js';
import { WITH_BROWSER } from './worker-process.js';

/** What the site was asked, such as `POST /changed a body`. */
let asked: string[] = [];
const site = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const { url = '', method, headers } = request;
  asked.push(`${method} ${url} ${body}`.trim());
  const send = (type: string, text: string) =>
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(text);
  if (url === '/members' && !headers.authorization) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="members"' }).end('who are you?');
  } else if (url === '/redirect') response.writeHead(302, { location: '/target' }).end();
  else if (url === '/broken') request.socket.destroy();
  else if (url === '/events') {
    response
      .writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      .write('data: first\n\n');
  } else if (url === '/worker.js') {
    send('text/javascript', 'fetch("/of-worker").then(answer => answer.text()).then(text => postMessage(text));');
  } else if (url === '/service.js') {
    send('text/javascript', 'addEventListener("install", event => event.waitUntil(fetch("/of-service-worker")));');
  } else if (url === '/frames') {
    send('text/html', `<iframe src="http://localhost:${portOf()}/frame"></iframe>`);
  } else send('text/html', `<title>${url}</title>${method} ${body} ${headers['x-of-skript'] ?? ''}`);
});
const portOf = () => (site.address() as AddressInfo).port;

const environment: Record<string, string> = { ...WITH_BROWSER };
beforeAll(async () => {
  await once(site.listen(0), 'listening');
  environment.TRAWL_EGRESS_ALLOW = `127.0.0.1:${portOf()},localhost:${portOf()}`;
});
beforeEach(() => {
  asked = [];
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});
const { platform } = connectedWorker(environment);

async function outputOf(body: string, options: Partial<Offer>) {
  const skript = `const puppeteer = require('puppeteer');
    const ask = (page, path, options) => page.evaluate(
      (path, options) => fetch(path, options).then(answer => answer.text(), String), path, options);
    module.exports = async base => {
      const browser = await puppeteer.launch();
      try {
        const results = await (async () => { ${body} })();
        return results;
      } finally {
        await browser.close();
      }
    };`;
  const input = JSON.stringify(`http://127.0.0.1:${portOf()}`);
  const id = await platform.start(skript, { environment: 'browser', input, ...options });
  const { output, error_stack } = await platform.ended(id);
  expect(error_stack).toBeNull();
  return { id, output: JSON.parse(String(output)) };
}

const recordedRequests = (id: string): string[] =>
  [
    ...(platform.records.get(id)?.toString('latin1') ?? '').matchAll(
      /^\{"method":"(\w+)","url":"https?:\/\/[^/]+([^"]*)"/gm,
    ),
  ]
    .map(([, method, path]) => `${method} ${path}`)
    .sort();

/** Records the skript, closes the site for it, and replays it. */
async function recordAndReplay(body: string) {
  const recorded = await outputOf(body, { record: true });
  const sent = asked.map(line => line.split(' ').slice(0, 2).join(' ')).sort();
  asked = [];
  const { output } = await outputOf(body, { replay: { of: recorded.id, on_miss: 'fail' } });
  expect(output).toEqual(recorded.output);
  expect(asked).toEqual([]);
  return { output, sent, recorded: recordedRequests(recorded.id) };
}

const cases: [string, string, { output: unknown; sent: string[]; notRecorded?: string[] }][] = [
  [
    'page.authenticate',
    `const page = await browser.newPage();
     await page.authenticate({ username: 'Emma', password: 'Woodhouse' });
     await page.goto(base + '/members');
     return page.title();`,
    // Chromium itself answers the first 401.
    { output: '/members', sent: ['GET /members', 'GET /members'], notRecorded: ['GET /members'] },
  ],
  [
    'requests that the skript answers, aborts and changes',
    `const page = await browser.newPage();
     await page.setRequestInterception(true);
     const handle = request => {
       const path = request.url().slice(base.length);
       if (path === '/aborted') request.abort();
       else if (path === '/own') request.respond({ status: 200, contentType: 'text/html', body: 'own answer' });
       else if (path === '/changed-by-skript') request.continue({
         url: base + '/changed', method: 'POST', postData: 'a body', headers: { ...request.headers(), 'x-of-skript': 'header' },
       });
       else request.continue();
     };
     page.on('request', handle);
     await page.goto(base + '/page');
     const results = [await page.title()];
     for (const path of ['/aborted', '/own', '/changed-by-skript', '/plain']) results.push(await ask(page, path));
     page.off('request', handle);
     await page.setRequestInterception(false);
     return [...results, await ask(page, '/aborted')];`,
    {
      output: [
        '/page',
        'TypeError: Failed to fetch',
        'own answer',
        '<title>/changed</title>POST a body header',
        expect.stringContaining('/plain'),
        expect.stringContaining('/aborted'),
      ],
      sent: ['GET /aborted', 'GET /page', 'GET /plain', 'POST /changed'],
    },
  ],
  [
    'a second session that handles requests and answers',
    `const page = await browser.newPage();
     const session = await page.createCDPSession();
     await session.send('Network.enable');
     await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }, { urlPattern: '*/answer', requestStage: 'Response' }] });
     const stages = [];
     session.on('Fetch.requestPaused', async ({ requestId, request, responseStatusCode }) => {
       stages.push(request.url.slice(base.length) + ' ' + (responseStatusCode ?? 'request'));
       if (responseStatusCode) await session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, body: btoa('changed answer') });
       else await session.send('Fetch.continueRequest', { requestId });
     });
     await page.goto(base + '/page');
     return [await ask(page, '/answer'), stages];`,
    {
      output: ['changed answer', ['/page request', '/answer request', '/answer 200']],
      sent: ['GET /answer', 'GET /page'],
    },
  ],
  [
    'the first page, popups, frames of other sites, and workers',
    `const [page] = await browser.pages();
     const results = [await ask(page, base + '/of-blank-page')];
     await page.goto(base + '/frames');
     const frame = await page.waitForFrame(frame => frame.url().endsWith('/frame'));
     results.push(await ask(frame, '/of-frame'));
     const opened = new Promise(resolve => page.once('popup', resolve));
     await page.evaluate(() => { window.open('/popup'); });
     const popup = await opened;
     await popup.waitForFunction(() => document.title !== '');
     results.push(await popup.title());
     results.push(await page.evaluate(() => new Promise(resolve => { new Worker('/worker.js').onmessage = event => resolve(event.data); })));
     await page.evaluate(() => navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready).then(() => {}));
     const context = await browser.createBrowserContext();
     const other = await context.newPage();
     await other.goto(base + '/redirect');
     return [...results, await other.title()];`,
    {
      output: [
        expect.stringContaining('/of-blank-page'),
        expect.stringContaining('/of-frame'),
        '/popup',
        expect.stringContaining('/of-worker'),
        '/target',
      ],
      sent: [
        'GET /frame',
        'GET /frames',
        'GET /of-blank-page',
        'GET /of-frame',
        'GET /of-service-worker',
        'GET /of-worker',
        'GET /popup',
        'GET /redirect',
        'GET /service.js',
        'GET /target',
        'GET /worker.js',
      ],
    },
  ],
  [
    'connections that fail',
    `const page = await browser.newPage();
     return page.goto(base + '/broken').then(() => 'loaded', error => error.message.split('ERR_')[0]);`,
    { output: 'net::', sent: ['GET /broken'] },
  ],
];

it.each(cases)(
  'a replay gives pages their recorded answers: %s',
  async (_what, body, { output, sent, notRecorded = [] }) => {
    const seen = await recordAndReplay(body);
    expect(seen.output).toEqual(output);
    expect(seen.sent).toEqual(sent);
    const left = [...sent];
    for (const request of notRecorded) left.splice(left.indexOf(request), 1);
    expect(seen.recorded).toEqual(left);
  },
);

it('recording does not hold back an answer that has no end', async () => {
  const body = `const page = await browser.newPage();
    await page.goto(base + '/page');
    return page.evaluate(async () => {
      const reader = (await fetch('/events')).body.getReader();
      return new TextDecoder().decode((await reader.read()).value);
    });`;
  expect((await outputOf(body, { record: true })).output).toBe('data: first\n\n');
});

it('what a run saw has each request of a page once, also if the page has several sessions', async () => {
  const skript = `const puppeteer = require('puppeteer');
    module.exports = async base => {
      const browser = await puppeteer.launch();
      const page = await browser.newPage();
      const session = await page.createCDPSession();
      await session.send('Network.enable');
      await page.goto(base + '/redirect');
      throw new Error('the page is wrong');
    };`;
  const input = JSON.stringify(`http://127.0.0.1:${portOf()}`);
  const id = await platform.start(skript, { environment: 'browser', input, keeps_exchanges: true });
  expect(await platform.ended(id)).toMatchObject({ action: 'error' });
  const exchanges = (await readEvidence(platform, id))?.exchanges ?? [];
  expect(exchanges.map(({ url, status }) => [new URL(url).pathname, status])).toEqual([
    ['/redirect', 302],
    ['/target', 200],
  ]);
});
