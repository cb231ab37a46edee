import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { DomainSlots, StorageAnswer } from '@trawl/contracts';
import { certificate } from '../../e2e/proxies/certificate.js';
import { connectedWorker } from './connected-worker.js';

/** Requests that the sites have got, by domain. */
const seen = new Map<string, string[]>();
/** The robots.txt of the sites. */
let robots = '';
/** Requests that each site has in progress, and the most that it has had. */
const inProgress = new Map<string, number>();
const most = new Map<string, number>();
/** Time that the sites take for an answer. */
let answerMs = 0;
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { host = '' } = request.headers;
  const count = (more: number) => inProgress.set(host, (inProgress.get(host) ?? 0) + more);
  count(1);
  most.set(host, Math.max(most.get(host) ?? 0, inProgress.get(host) ?? 0));
  response.on('close', () => count(-1));
  const paths = seen.get(host) ?? [];
  seen.set(host, [...paths, request.url ?? '']);
  if (request.url === '/never') return;
  if (answerMs > 0) setTimeout(() => response.end('found'), answerMs);
  else if (request.url === '/redirect') response.writeHead(302, { location: '/target' }).end();
  else if (request.url === '/busy' && paths.length === 0) response.writeHead(429, { 'retry-after': '7' }).end('busy');
  else response.end(request.url === '/robots.txt' ? robots : 'found');
}

const plain = createServer(answer);
const secure = createSecureServer(certificate(), answer);
const domainOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;
let [site, secureSite] = ['', ''];
const environment: Record<string, string> = {};

beforeAll(async () => {
  for (const server of [plain, secure]) await once(server.listen(0, '127.0.0.1'), 'listening');
  [site, secureSite] = [`http://${domainOf(plain)}`, `https://${domainOf(secure)}`];
  environment.TRAWL_EGRESS_ALLOW = [plain, secure].map(domainOf).join();
});
afterAll(() => {
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    server.close();
  }
});

const { platform } = connectedWorker(environment);

/** Calls of the runs, and how many slots the platform has granted for each domain. */
let calls: { method: string; args: any }[];
let granted: Map<string, number>;
/** The answer to a reservation, by default one slot that may go at once. */
let slotsOf: (domain: string, wanted: number, holds: number) => Partial<DomainSlots>;
beforeEach(() => {
  seen.clear();
  calls = [];
  granted = new Map();
  most.clear();
  answerMs = 0;
  slotsOf = () => ({});
  platform.answerStorage = ({ op: { method, args } }): StorageAnswer => {
    const sent = JSON.parse(Buffer.from(args).toString());
    calls.push({ method, args: sent });
    if (method === 'closeDomain') return json({ closed_ms: 5 });
    const slots = sent.domains.map(([domain, wanted, , holds = 0]: [string, number, boolean, number?]) => {
      const slot = {
        domain,
        granted: 1,
        start_ms: 0,
        interval_ms: 1,
        wait_ms: 0,
        is_closed: false,
        ...slotsOf(domain, wanted, holds),
      };
      granted.set(domain, (granted.get(domain) ?? 0) + slot.granted);
      return slot;
    });
    return json({ slots });
  };
});
const json = (value: object) => ({ result: Buffer.from(JSON.stringify(value)) });

async function run(code: string, options: object = { polite: true }) {
  const id = await platform.start(code, { input: JSON.stringify({ site, secureSite }), ...options });
  const finish = await platform.ended(id);
  return { finish, echoes: await platform.echoes(id) };
}

const LIBRARIES = `
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const axios = require('axios');
  const got = require('got');
  const byHttp = (module, url, options = {}) => new Promise((resolve, reject) => {
    module.get(url, options, response => response.resume().on('end', resolve)).on('error', reject);
  });
  module.exports = async ({ site, secureSite }) => {
    for (const base of [site, secureSite]) {
      const http = require(base === site ? 'node:http' : 'node:https');
      await Promise.all([
        fetch(base + '/fetch').then(response => response.text()),
        fetch(new Request(base + '/redirect')).then(response => response.text()),
        axios.get(base + '/axios'),
        got(base + '/got', { https: { rejectUnauthorized: false } }).text(),
        got(base + '/got2', { http2: true, https: { rejectUnauthorized: false } }).text(),
        byHttp(http, base + '/node'),
        byHttp(http, base + '/agent', { agent: new http.Agent({ keepAlive: true }) }),
        byHttp(http, base + '/none', { agent: false }),
      ]);
    }
  };
`;

it('each request takes a slot of its domain, whichever library sends it', async () => {
  const { finish } = await run(LIBRARIES);
  expect(finish.error_stack).toBeNull();
  for (const domain of [domainOf(plain), domainOf(secure)]) {
    const paths = ['/agent', '/axios', '/fetch', '/got', '/got2', '/node', '/none', '/redirect', '/target'];
    expect([...(seen.get(domain) ?? [])].sort()).toEqual(paths);
    expect(granted.get(domain)).toBe(paths.length);
  }
});

it('a run that is not polite reserves nothing', async () => {
  const { finish } = await run(LIBRARIES.replace(/.*got2.*\n/, ''), {});
  expect(finish.error_stack).toBeNull();
  expect(calls).toEqual([]);
});

it('a domain that answers 429 is closed, and the run waits until it is open', async () => {
  const { finish, echoes } = await run(`module.exports = async ({ site }) => {
    const first = await fetch(site + '/busy');
    const second = await fetch(site + '/busy');
    return [first.status, second.status];
  }`);
  expect(finish.output).toBe('[429,200]');
  const domain = domainOf(plain);
  expect(calls.filter(({ method }) => method === 'closeDomain')).toEqual([
    { method: 'closeDomain', args: { domain, retry_after_ms: 7_000 } },
  ]);
  expect(echoes).toContainEqual(
    expect.objectContaining({
      type: 'warn',
      msg: `${domain} answered 429. All polite runs of your account wait 1 s for it.`,
    }),
  );
});

it('requests that are aborted while they wait end at once, and those that get no slot fail with the reason', async () => {
  slotsOf = () => ({ granted: 0, wait_ms: 60_000, is_closed: true });
  const { finish } = await run(`
    const http = require('node:http');
    module.exports = async ({ site }) => {
      const controller = new AbortController();
      const { signal } = controller;
      const failed = [
        fetch(site + '/a', { signal }),
        new Promise((_, reject) => http.get(site + '/b', { signal }).on('error', reject)),
        new Promise((_, reject) => {
          const request = http.get(site + '/c').on('error', reject);
          signal.addEventListener('abort', () => request.destroy());
        }),
      ].map(promise => promise.catch(error => error.name + ': ' + error.message));
      setTimeout(() => controller.abort(), 50);
      return Promise.all(failed);
    }`);
  expect(JSON.parse(finish.output ?? '')).toEqual([
    'AbortError: This operation was aborted',
    'AbortError: The operation was aborted',
    'Error: socket hang up',
  ]);
  expect(seen.size).toBe(0);
  platform.answerStorage = () => ({ error: { code: 'storage_full', message: 'Too many domains.' } });
  const refused = await run(`
    const http = require('node:http');
    module.exports = ({ site }) => Promise.all([
      fetch(site).catch(error => error.cause.message),
      new Promise(resolve => http.get(site).on('error', error => resolve(error.message))),
    ])`);
  const text = 'Trawl could not reserve a slot for a request: Too many domains.';
  expect(JSON.parse(refused.finish.output ?? '')).toEqual([text, text]);
});

it('a hostile name of a domain costs no call', async () => {
  const { finish } = await run(`
    const http = require('node:http');
    const get = host => new Promise(resolve => http.get({ host }).on('error', error => resolve(error.code)));
    module.exports = async () => {
      const long = 'a'.repeat(1_000_000);
      await fetch('http://' + long).catch(() => {});
      await get(long);
      await get('__proto__');
    }`);
  expect(finish.error_stack).toBeNull();
  const names = calls.flatMap(({ args }) => args.domains.map(([name]: [string]) => name));
  expect(names).toEqual(['__proto__']);
});

it('a run obeys robots.txt, whichever library sends the request, and its own requests take slots', async () => {
  slotsOf = () => ({ robots: 'obey' });
  robots = 'User-agent: *\nDisallow: /private';
  const { finish } = await run(`
    const axios = require('axios');
    const got = require('got');
    module.exports = async ({ site }) => {
      const failed = await Promise.all([
        fetch(site + '/private/a').catch(error => error.cause.message),
        axios.get(site + '/private/b').catch(error => error.message),
        got(site + '/private/c', { retry: { limit: 0 } }).catch(error => error.message),
      ]);
      await Promise.all([fetch(site + '/open'), axios.get(site + '/open')]);
      return failed;
    }`);
  const domain = domainOf(plain);
  const texts: string[] = JSON.parse(finish.output ?? '');
  expect(texts.map(text => text.slice(0, text.indexOf('. To send')))).toEqual(
    ['a', 'b', 'c'].map(name => `robots.txt of ${domain} disallows /private/${name}: line 2, Disallow: /private`),
  );
  expect(seen.get(domain)?.sort()).toEqual(['/open', '/open', '/robots.txt']);
  expect(granted.get(domain)).toBeGreaterThanOrEqual(3);
});

describe('concurrent requests that are limited', () => {
  const limitTo = (limit: number) => {
    slotsOf = (_domain, wanted, holds) => {
      const granted = Math.max(0, Math.min(wanted, limit - holds));
      return { granted, wait_ms: granted > 0 ? 0 : 50, interval_ms: 0, is_limited: true };
    };
  };

  it('each library keeps its place until the answer is complete', async () => {
    limitTo(2);
    answerMs = 20;
    const { finish } = await run(LIBRARIES);
    expect(finish.error_stack).toBeNull();
    for (const domain of [domainOf(plain), domainOf(secure)]) {
      expect(seen.get(domain)?.length).toBeGreaterThanOrEqual(8);
      expect(most.get(domain)).toBe(2);
    }
  });

  it('requests that are aborted, destroyed or cancelled give their places back', async () => {
    limitTo(1);
    const { finish } = await run(`
      const http = require('node:http');
      module.exports = async ({ site }) => {
        const failed = await fetch(site + '/never', { signal: AbortSignal.timeout(500) }).catch(error => error.name);
        await new Promise(resolve => {
          const request = http.get(site + '/never').on('error', () => {}).on('close', resolve);
          setTimeout(() => request.destroy(), 500);
        });
        const holding = fetch(site + '/never', { signal: AbortSignal.timeout(500) }).catch(error => error.name);
        const behind = http.get(site + '/behind').on('error', () => {});
        behind.destroy();
        await holding;
        await (await fetch(site + '/cancelled')).body.cancel();
        return [failed, await (await fetch(site + '/last')).text()];
      };`);
    expect([finish.error_stack, finish.output]).toEqual([null, '["TimeoutError","found"]']);
    expect(seen.get(domainOf(plain))).toEqual(['/never', '/never', '/never', '/cancelled', '/last']);
    expect(most.get(domainOf(plain))).toBe(1);
  });
});
