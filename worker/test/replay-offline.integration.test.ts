import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Offer } from '@trawl/contracts';
import { connectedWorker } from './connected-worker.js';
import { WITH_BROWSER } from './worker-process.js';

// Without a sandbox, the processes of a replay share the network of the machine.
const { platform } = connectedWorker({ ...WITH_BROWSER, TRAWL_SANDBOX: 'none' });

let sockets = 0;
const site = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Books</title>');
}).on('upgrade', (_request, socket) => {
  sockets += 1;
  socket.destroy();
});

let url: string;
beforeAll(async () => {
  await once(site.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});

/** Opens a WebSocket in a blank page, which Chromium lets reach this machine, then the page. Returns its title. */
const SKRIPT = `
  const puppeteer = require('puppeteer');
  module.exports = async url => {
    const browser = await puppeteer.launch();
    const page = await browser.newPage();
    await page.evaluate(address => new Promise(resolve => {
      new WebSocket(address).onclose = resolve;
    }), url.replace('http:', 'ws:'));
    await page.goto(url);
    const title = await page.title();
    await browser.close();
    return title;
  };`;

async function titleOf(options: Partial<Offer>): Promise<{ id: string; title: unknown }> {
  const id = await platform.start(SKRIPT, { environment: 'browser', input: JSON.stringify(url), ...options });
  const { output, error_stack } = await platform.ended(id);
  expect(error_stack).toBeNull();
  return { id, title: JSON.parse(String(output)) };
}

it('a WebSocket of a page of a replay does not reach the network, even without a sandbox', async () => {
  const { id } = await titleOf({ record: true });
  expect(sockets).toBe(1);
  const replayed = await titleOf({ replay: { of: id, on_miss: 'fail' } });
  expect(replayed.title).toBe('Books');
  expect(sockets).toBe(1);
  await titleOf({ replay: { of: id, on_miss: 'network' } });
  expect(sockets).toBe(2);
});
