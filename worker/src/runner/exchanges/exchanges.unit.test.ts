import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { EXCHANGE_LIMITS, type Exchange, exchangeHeadSchema, exchangeParts } from '@trawl/contracts';
import axios from 'axios';
import { Agent, fetch as undiciFetch, request as undiciRequest } from 'undici';
import { ExchangeCapture } from './exchange-capture.js';
import { LastExchanges } from './last-exchanges.js';

const last = new LastExchanges();
const capture = new ExchangeCapture();
capture.add(last);
capture.install();

const servers: { close: () => unknown; closeAllConnections?: () => void }[] = [];
let origin: string;
let answer: (incoming: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  origin = await listen(createServer((incoming, response) => answer(incoming, response)));
});
beforeEach(() => {
  capture.start();
  last.take();
  answer = (incoming, response) => {
    void buffer(incoming).then(body => {
      response.writeHead(200, { 'content-type': 'text/plain', 'x-path': String(incoming.url) });
      response.end(`got ${body.toString()}`);
    });
  };
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections?.();
    server.close();
  }
});

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const headerOf = (pairs: Exchange['request_headers'], name: string) =>
  pairs.find(([key]) => key.toLowerCase() === name)?.[1];

function post(path: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(origin + path, { method: 'POST', headers: { 'x-by': 'http' } }, response => {
      buffer(response).then(bytes => resolve(bytes.toString()), reject);
    });
    sent.on('error', reject);
    sent.write(body.slice(0, 2));
    sent.end(body.slice(2));
  });
}

const LIBRARIES: Record<string, [via: string, post: (path: string, body: string) => Promise<string>]> = {
  fetch: ['undici', async (path, body) => (await fetch(origin + path, { method: 'POST', body })).text()],
  'undici fetch': ['undici', async (path, body) => (await undiciFetch(origin + path, { method: 'POST', body })).text()],
  'undici request': [
    'undici',
    async (path, body) => (await undiciRequest(origin + path, { method: 'POST', body })).body.text(),
  ],
  http: ['http', post],
  axios: ['http', async (path, body) => (await axios.post(origin + path, body, { responseType: 'text' })).data],
};

test.each(Object.entries(LIBRARIES))(
  'an exchange of %s has its request, answer and both bodies',
  async (name, [via, send]) => {
    // Node 20 reports the first request of `http` only after its body.
    await send('/first', 'first');
    last.take();
    expect(await send(`/${name.replace(' ', '-')}?a=1`, 'hello')).toBe('got hello');
    const [exchange, ...others] = last.take();
    expect(others).toEqual([]);
    expect(exchange).toMatchObject({
      via,
      method: 'POST',
      url: `${origin}/${name.replace(' ', '-')}?a=1`,
      status: 200,
      status_text: 'OK',
      body_bytes: 9,
      is_cut: false,
      error: null,
    });
    expect(text((exchange as Exchange).request_body)).toBe('hello');
    expect(text((exchange as Exchange).body)).toBe('got hello');
    expect(headerOf((exchange as Exchange).response_headers, 'content-type')).toBe('text/plain');
    expect((exchange as Exchange).duration_ms).toBeGreaterThanOrEqual(0);
  },
);

test('each answer of a redirect is an exchange of its own', async () => {
  answer = (incoming, response) => {
    if (incoming.url === '/a') response.writeHead(302, { location: '/b' }).end();
    else response.end('there');
  };
  await (await fetch(`${origin}/a`)).text();
  expect(last.take().map(({ sequence, url, status }) => [sequence, url, status])).toEqual([
    [1, `${origin}/a`, 302],
    [2, `${origin}/b`, 200],
  ]);
});

test('a compressed body is kept as it arrived, and the skript reads it decompressed', async () => {
  const packed = gzipSync('text '.repeat(1_000));
  answer = (_incoming, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  expect(await (await fetch(origin)).text()).toHaveLength(5_000);
  expect((await axios.get(origin)).data).toHaveLength(5_000);
  for (const { body } of last.take()) expect(Buffer.from(body)).toEqual(packed);
});

test('a body that nobody reads is not read by the capture', async () => {
  let sent = 0;
  const socketFull = new Promise<void>(resolve => {
    answer = (_incoming, response) => {
      const piece = Buffer.alloc(64 * 1024);
      while (response.write(piece)) sent += piece.length;
      sent += piece.length;
      resolve();
      const more = () => {
        while (response.write(piece)) sent += piece.length;
        sent += piece.length;
      };
      response.on('drain', more);
      response.on('close', () => response.off('drain', more));
    };
  });
  const agent = new Agent();
  const { body } = await undiciRequest(origin, { dispatcher: agent });
  await socketFull;
  // An exchange on another connection gives the first one many turns of the event loop.
  const before = answer;
  answer = (_incoming, response) => response.end('x');
  for (let n = 0; n < 50; n += 1) await (await fetch(origin)).text();
  answer = before;
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  body.on('error', () => {});
  body.destroy();
  await agent.destroy();
});

test('a long body is cut, and an endless one uses no more memory', async () => {
  answer = (_incoming, response) => response.end(Buffer.alloc(3 * EXCHANGE_LIMITS.bodyBytes, 'x'));
  await (await fetch(origin)).arrayBuffer();
  await axios.get(origin);
  const taken = last.take();
  expect(taken).toHaveLength(2);
  for (const { body, body_bytes, is_cut } of taken) {
    expect(body).toHaveLength(EXCHANGE_LIMITS.bodyBytes);
    expect(body_bytes).toBe(3 * EXCHANGE_LIMITS.bodyBytes);
    expect(is_cut).toBe(true);
  }
});

test('headers that are longer than the worker accepts are left out', async () => {
  const headers: [string, string][] = Array.from({ length: 20 }, (_, n) => [`x-${n}`, 'v'.repeat(4_000)]);
  await new Promise<void>((resolve, reject) => {
    // The test server refuses such a request, as it should.
    request(origin, { headers: Object.fromEntries(headers) }, response => {
      response.resume().on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
  const [one] = last.take();
  const kept = one?.request_headers.filter(([name]) => name.startsWith('x-')) ?? [];
  expect(kept.length).toBeGreaterThan(10);
  expect(kept).toEqual(headers.slice(0, kept.length));
  expect(exchangeHeadSchema.safeParse(one && exchangeParts(one).head).error).toBeUndefined();
});

test('the last exchanges are kept, with bodies up to the limit of all', async () => {
  answer = (_incoming, response) => response.end(Buffer.alloc(EXCHANGE_LIMITS.bodyBytes, 'x'));
  for (let n = 1; n <= 53; n += 1) await (await fetch(`${origin}/${n}`)).arrayBuffer();
  const taken = last.take();
  expect(taken.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 50 }, (_, n) => n + 4));
  const whole = taken.filter(({ is_cut }) => !is_cut);
  expect(whole.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 16 }, (_, n) => n + 38));
  expect(taken.reduce((sum, { body }) => sum + body.length, 0)).toBe(EXCHANGE_LIMITS.runBytes);
  expect(last.take()).toEqual([]);
});

test('an exchange without an answer stays among many others, and has no duration', async () => {
  answer = (incoming, response) => {
    if (incoming.url !== '/hangs') response.end('x');
  };
  const stop = new AbortController();
  const hanging = fetch(`${origin}/hangs`, { signal: stop.signal }).catch(() => {});
  for (let n = 0; n < 60; n += 1) await (await fetch(origin)).text();
  expect(last.take()[0]).toMatchObject({ url: `${origin}/hangs`, status: null, duration_ms: null, error: null });
  stop.abort();
  await hanging;
});

test.each(Object.entries(LIBRARIES))('a failed exchange of %s has its error', async (_name, [, send]) => {
  answer = incoming => incoming.socket.destroy();
  await expect(send('/fails', 'x')).rejects.toThrow();
  expect(last.take()).toMatchObject([
    { status: null, error: expect.stringMatching(/hang up|other side closed|closed|ECONNRESET/i) },
  ]);
});

test('an answer that breaks off has what arrived, and an error', async () => {
  answer = (_incoming, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  };
  await expect((async () => (await fetch(origin)).text())()).rejects.toThrow();
  await expect(axios.get(origin)).rejects.toThrow();
  const taken = last.take();
  expect(taken).toHaveLength(2);
  for (const { status, body, error } of taken) {
    expect([status, text(body)]).toEqual([200, 'half']);
    expect(error).toEqual(expect.any(String));
  }
});

test('an answer that is not HTTP is an error, and breaks nothing', async () => {
  const url = await listen(
    createTcpServer(socket => socket.end('HTTP/1.1 200 OK\r\nbad header\u0000: x\r\n\r\n').on('error', () => {})),
  );
  await expect(fetch(url)).rejects.toThrow();
  await expect(axios.get(url)).rejects.toThrow();
  expect(last.take()).toMatchObject([{ error: expect.any(String) }, { error: expect.any(String) }]);
});

test('exchanges of an earlier run in the same process belong to no other run', async () => {
  let respond = () => {};
  const arrived = new Promise<void>(resolve => {
    answer = (_incoming, response) => {
      respond = () => response.end('late');
      resolve();
    };
  });
  const late = fetch(origin);
  await arrived;
  last.take();
  capture.start();
  respond();
  await (await late).text();
  expect(last.take()).toEqual([]);
});

test('a second consumer gets whole bodies although the last exchanges cut them', async () => {
  const ended: Exchange[] = [];
  const whole = {
    bodyBytes: 64 * 1024 * 1024,
    ended: (exchange: { toExchange: (bytes: number) => Exchange }) => ended.push(exchange.toExchange(64 * 1024 * 1024)),
  };
  capture.add(whole);
  answer = (_incoming, response) => response.end(Buffer.alloc(1_000_000, 'x'));
  for (let n = 0; n < 20; n += 1) await (await fetch(origin)).arrayBuffer();
  capture.remove(whole);
  expect(ended.map(({ body }) => body.length)).toEqual(Array.from({ length: 20 }, () => 1_000_000));
  expect(last.take().reduce((sum, { body }) => sum + body.length, 0)).toBeLessThanOrEqual(EXCHANGE_LIMITS.runBytes);
});

it('keeps the headers of a request of undici, and lets the request go', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const created = (): WeakRef<object> => {
    const sent = { origin: 'http://shop.test', path: '/a', method: 'GET', headers: ['x-by', 'undici'] };
    channel('undici:request:create').publish({ request: sent });
    return new WeakRef(sent);
  };
  const sent = created();
  await setImmediate();
  gc();
  expect(sent.deref()).toBeUndefined();
  expect(last.take()).toMatchObject([{ url: 'http://shop.test/a', request_headers: [['x-by', 'undici']] }]);
});
