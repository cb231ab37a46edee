import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { RequestCounts } from './request-counts.js';

const ANSWERS: Record<string, [number, Record<string, string>]> = {
  '/page': [200, { 'X-Amzn-Waf-Act': 'none' }],
  '/forbidden': [403, {}],
  '/slow-down': [429, {}],
  '/challenge': [200, { 'CF-Mitigated': 'challenge' }],
  '/captcha': [302, { location: '/cdn-cgi/challenge-platform/x' }],
  '/moved': [302, { location: '/page' }],
  '/missing': [404, {}],
};

let server: Server;
let host: string;
const counts = new RequestCounts();

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    response.writeHead(...(ANSWERS[url] ?? [404, {}])).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  counts.install();
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
