import { type Evidence, type KeptExchange, LIMITS, type Offer } from '@trawl/contracts';
import { readEvidence } from '../read-evidence.js';
import { platform } from './worker.js';

const KEEPS: Partial<Offer> = { keeps_exchanges: true };

/** Code that starts a website inside the run and makes one request with each library. */
const requests = (end: string) => `
const { createServer, get } = require('node:http');
const { gzipSync, brotliCompressSync } = require('node:zlib');
const { text } = require('node:stream/consumers');
const axios = require('axios');
const got = require('got');
module.exports = async (input, secret) => {
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const body = 'answer to ' + sent + ' of ' + request.url + (secret ? ' with ' + secret.token : '');
    const encoding = /gzip|br/.exec(request.url)?.[0];
    const packed = encoding === 'gzip' ? gzipSync(body) : encoding === 'br' ? brotliCompressSync(body) : body;
    response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': 'session=123456789', 'x-customer': secret?.token ?? '', ...(encoding && { 'content-encoding': encoding }) });
    response.end(packed);
  }).listen(0);
  const site = 'http://127.0.0.1:' + server.address().port;
  const headers = { authorization: 'Bearer abcdefgh', cookie: 'session=987654321' };
  await (await fetch(site + '/fetch', { method: 'POST', body: 'sent by fetch', headers })).text();
  await (await fetch(site + '/gzip', { headers })).text();
  await axios.post(site + '/axios', 'sent by axios', { headers });
  await got.post(site + '/got-br', { body: 'sent by got', headers }).text();
  await new Promise((resolve, reject) => get(site + '/http', { headers }, response => text(response).then(resolve, reject)).on('error', reject));
  ${end}
};`;

const pathOf = ({ url }: KeptExchange) => new URL(url).pathname;
const bodies = (evidence: Evidence | null) =>
  evidence?.exchanges.map(exchange => [pathOf(exchange), exchange.request_body?.data ?? null, exchange.body?.data]);

const SEEN = [
  ['/fetch', 'sent by fetch', 'answer to sent by fetch of /fetch'],
  ['/gzip', null, 'answer to  of /gzip'],
  ['/axios', 'sent by axios', 'answer to sent by axios of /axios'],
  ['/got-br', 'sent by got', 'answer to sent by got of /got-br'],
  ['/http', null, 'answer to  of /http'],
];

describe('the exchanges of a run', () => {
  test('are kept of each library if the run fails, decompressed', async () => {
    const id = await platform.start(requests("throw new Error('broken');"), KEEPS);
    expect(await platform.ended(id)).toMatchObject({ error_code: 'exception', exchanges: 5 });
    const evidence = await readEvidence(platform, id);
    expect(bodies(evidence)).toEqual(SEEN);
    expect(evidence?.exchanges.map(({ via, status }) => [via, status])).toEqual([
      ['undici', 200],
      ['undici', 200],
      ['http', 200],
      ['http', 200],
      ['http', 200],
    ]);
    expect(evidence?.page).toBeNull();
    expect(await readEvidence(platform, id)).toBeNull();
  });

  test('are kept without the secrets of the run, and without credentials in headers', async () => {
    const token = 'a-secret-token-of-the-run';
    const secret = { ...KEEPS, input_secret: JSON.stringify({ token }) };
    const id = await platform.start(requests("throw new Error('broken');"), secret);
    await platform.ended(id);
    const evidence = await readEvidence(platform, id);
    const json = JSON.stringify(evidence);
    for (const hidden of [token, 'abcdefgh', '987654321', '123456789']) expect(json).not.toContain(hidden);
    for (const { body, request_headers, response_headers } of evidence?.exchanges ?? []) {
      expect(body?.data).toMatch(/ with \[secret\]$/);
      const headers = new Map(
        [...request_headers, ...response_headers].map(([name, value]) => [name.toLowerCase(), value]),
      );
      expect(headers.get('authorization')).toBe('[redacted]');
      expect(headers.get('cookie')).toBe('[redacted]');
      expect(headers.get('set-cookie')).toBe('[redacted]');
      expect(headers.get('x-customer')).toBe('[secret]');
    }
  });

  test.each([
    ['exits', 'process.exit(3);', {}, 'process_ended'],
    [
      'reaches its time limit',
      'await new Promise(() => setInterval(() => {}, 1000));',
      { limits: { time_ms: 10_000, pause_ms: 1_000, output_bytes: LIMITS.outputBytes } },
      'time_limit',
    ],
    ['never settles', 'server.close(); server.closeAllConnections(); await new Promise(() => {});', {}, null],
  ])('are kept if the run %s', async (_name, end, options, code) => {
    const id = await platform.start(requests(end), { ...KEEPS, ...options });
    const finish = await platform.ended(id);
    expect(finish.action).toBe('error');
    if (code) expect(finish.error_code).toBe(code);
    expect(bodies(await readEvidence(platform, id))).toEqual(SEEN);
  });

  test('of a good run are read only if the platform wants to', async () => {
    const wanted = await platform.start(requests('return 1;'), KEEPS);
    await platform.ended(wanted);
    expect(bodies(await readEvidence(platform, wanted))).toEqual(SEEN);
    platform.mayRead = false;
    const dropped = await platform.start(requests('return 1;'), KEEPS);
    await platform.ended(dropped);
    await platform.run('module.exports = () => 1;');
    expect(await readEvidence(platform, dropped)).toBeNull();
    platform.mayRead = true;
  });

  test('of a warm process belong to one run each', async () => {
    const warm = { ...KEEPS, warm: true };
    const code = `
      const { createServer } = require('node:http');
      module.exports = async input => {
        const server = createServer((_request, response) => response.end('x')).listen(0);
        await (await fetch('http://127.0.0.1:' + server.address().port + '/' + input)).text();
        server.close(); server.closeAllConnections();
      };`;
    for (const input of ['"a"', '"b"']) {
      const id = await platform.start(code, { ...warm, input });
      await platform.ended(id);
      expect((await readEvidence(platform, id))?.exchanges.map(pathOf)).toEqual([`/${JSON.parse(input)}`]);
    }
  });

  test('are not kept if the platform does not ask for them', async () => {
    const id = await platform.start(requests("throw new Error('broken');"));
    expect((await platform.ended(id)).exchanges).toBeUndefined();
    expect(await readEvidence(platform, id)).toBeNull();
  });

  test('that a run makes up are dropped, and it ends as always', async () => {
    const id = await platform.start(
      `
      const { writeSync } = require('node:fs');
      const head = { sequence: 1, started_at: new Date().toISOString(), duration_ms: 1, via: 'http', method: 'GET', url: 'x', request_headers: [], status: 200, status_text: '', response_headers: [], body_bytes: 0, is_cut: false, error: null, request_body_bytes: 0 };
      const send = head => writeSync(4, JSON.stringify({ run: 1, t: 'exchange', head }) + '\\n');
      module.exports = () => {
        for (const wrong of [null, 1, {}, { ...head, url: 'x'.repeat(1e6) }, { ...head, request_body_bytes: 5 }, { ...head, status: 'a' }, { ...head, request_headers: [[{}, 1]] }]) send(wrong);
        for (let n = 0; n < 80; n += 1) send({ ...head, sequence: n });
        throw new Error('broken');
      };`,
      KEEPS,
    );
    expect(await platform.ended(id)).toMatchObject({ error_code: 'exception', exchanges: 50 });
    expect((await readEvidence(platform, id))?.exchanges.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 50 }, (_, n) => 30 + n),
    );
    const warnings = (await platform.echoes(id)).filter(({ type }) => type === 'warn');
    expect(warnings).toHaveLength(7);
  });
});
