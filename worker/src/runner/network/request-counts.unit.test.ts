import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { ExchangeCapture } from '../exchanges/exchange-capture.js';
import { LastExchanges } from '../exchanges/last-exchanges.js';
import { RequestCounts } from './request-counts.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const CHALLENGE = '<title>Just a moment...</title><script>window._cf_chl_opt = {};</script>';
const ARTICLE = '<title>Shop</title><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>';
const ANSWERS: Record<string, [number, Record<string, string>, (string | Buffer)?]> = {
  '/page': [200, { 'X-Amzn-Waf-Act': 'none' }],
  '/forbidden': [403, {}],
  '/slow-down': [429, {}],
  '/challenge': [200, { 'CF-Mitigated': 'challenge' }],
  '/captcha': [302, { location: '/cdn-cgi/challenge-platform/x' }],
  '/moved': [302, { location: '/page' }],
  '/missing': [404, {}],
  '/article': [200, HTML, ARTICLE],
  '/plain': [503, HTML, CHALLENGE],
  '/zipped': [200, { ...HTML, 'content-encoding': 'gzip' }, gzipSync(CHALLENGE)],
  '/damaged': [200, { ...HTML, 'content-encoding': 'gzip' }, CHALLENGE],
  '/bomb': [200, { ...HTML, 'content-encoding': 'gzip' }, gzipSync(`${CHALLENGE}${' '.repeat(4_000_000)}`)],
  '/data': [200, { 'content-type': 'application/json' }, JSON.stringify(CHALLENGE)],
  '/twice': [403, HTML, CHALLENGE],
};

let server: Server;
let host: string;
const counts = new RequestCounts();
const capture = new ExchangeCapture(exchange => counts.ended(exchange));

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const [status, headers, body] = ANSWERS[url] ?? [404, {}];
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  counts.install();
  capture.install();
  capture.add(new LastExchanges());
  capture.start();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const clients: Record<string, (url: string) => Promise<unknown>> = {
  fetch: url => fetch(url, { redirect: 'manual' }).then(response => response.text()),
  undici: url => request(url).then(({ body }) => body.text()),
  http: url =>
    new Promise((resolve, reject) => {
      get(url, { agent: false }, response => response.resume().once('end', resolve)).once('error', reject);
    }),
};

test.each(Object.keys(clients))('responses to %s that block the run are counted by host', async name => {
  const load = (path: string) => clients[name]?.(`http://${host}${path}`);
  for (const path of ['/page', '/moved', '/missing']) await load(path);
  expect(counts.take()).toEqual([{ host, count: 3 }]);
  for (const path of ['/forbidden', '/slow-down', '/challenge', '/captcha', '/page']) await load(path);
  expect(counts.take()).toEqual([{ host, count: 5, blocked: 4 }]);
  expect(counts.take()).toBeUndefined();
});

test.each(Object.keys(clients))('challenges that %s gets are known by their page', async name => {
  const load = (path: string) => clients[name]?.(`http://${host}${path}`).catch(() => null);
  for (const path of ['/article', '/data', '/damaged', '/bomb']) await load(path);
  expect(counts.take()).toEqual([{ host, count: 4 }]);
  for (const path of ['/article', '/plain', '/zipped', '/twice']) await load(path);
  expect(counts.take()).toEqual([{ host, count: 4, blocked: 3 }]);
});
