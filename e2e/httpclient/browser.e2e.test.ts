import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'puppeteer-core';
import { chromiumForFile, openPage } from '../harness/browser/chromium.js';

const chromium = chromiumForFile();
let server: Server;
let page: Page;

beforeAll(async () => {
  // `/hop/3` redirects to `/hop/2` and so on to `/hop/0`, which returns JSON; `/silent` never answers.
  server = createServer(({ url = '' }, response) => {
    const hops = Number(/^\/hop\/(\d+)$/.exec(url)?.[1] ?? 0);
    if (hops > 0) response.writeHead(302, { Location: `/hop/${hops - 1}` }).end();
    else if (url === '/silent') return;
    else if (url === '/') response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Page</title>');
    else response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ url }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  page = await openPage(chromium.browser);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.evaluate(
    execFileSync(
      process.execPath,
      [
        'node_modules/esbuild/bin/esbuild',
        'packages/httpclient/src/browser.ts',
        '--bundle',
        '--global-name=httpclient',
      ],
      { encoding: 'utf8' },
    ).replace('var httpclient', 'globalThis.httpclient'),
  );
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (path: string, options: object = {}) =>
  page.evaluate((url, given) => new (globalThis as any).httpclient.HttpClient(given).json(url), path, options);

it('in a browser, the HTTP client resolves a URL that begins with a slash against the page’s origin', async () => {
  expect(await ask('/rows')).toMatchObject({ status: 200, statusMessage: 'OK', content: { url: '/rows' } });
});

it('in a browser, the HTTP client lets the browser limit redirects; with `maxRedirects: 0` it follows none', async () => {
  expect(await ask('/hop/5')).toMatchObject({ status: 200, content: { url: '/hop/0' } });
  expect(await ask('/hop/1', { maxRedirects: 0 })).toEqual({
    status: 0,
    statusMessage: 'Network error',
    content: null,
    headers: {},
  });
});

it('in a browser, the HTTP client returns timeouts, invalid URLs and network errors instead of throwing them', async () => {
  expect(await ask('/silent', { timeoutMs: 100, retries: 1, retryDelayMs: 1 })).toMatchObject({ status: 408 });
  expect(await ask('http://')).toMatchObject({ status: 400 });
  expect(await ask('http://127.0.0.1:1/', { retries: 0 })).toMatchObject({ status: 0 });
});
