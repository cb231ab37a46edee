import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import {
  EVIDENCE_JSON_BYTES,
  type Evidence,
  EXCHANGE_LIMITS,
  type Exchange,
  exchangeParts,
  type HeaderPair,
  type PageSeen,
} from '@trawl/contracts';
import { Redaction } from '../../redaction/redaction.js';
import { evidenceOf } from './evidence.js';
import { RunExchanges } from './run-exchanges.js';

const exchange = (body: Uint8Array, headers: HeaderPair[] = [], more: Partial<Exchange> = {}): Exchange => ({
  sequence: 1,
  started_at: '2026-01-02T03:04:05.678Z',
  duration_ms: 5,
  via: 'http',
  method: 'GET',
  url: 'http://shop.example/',
  request_headers: [],
  request_body: new Uint8Array(),
  status: 200,
  status_text: 'OK',
  response_headers: headers,
  body,
  body_bytes: body.length,
  is_cut: false,
  error: null,
  ...more,
});

function add(run: RunExchanges, one: Exchange): boolean {
  const { head, data } = exchangeParts(one);
  return run.add(head, Buffer.from(data), JSON.stringify(head).length);
}

async function evidence(exchanges: Exchange[], secret: unknown = null, page?: PageSeen): Promise<Evidence> {
  const run = new RunExchanges();
  for (const one of exchanges) expect(add(run, one)).toBe(true);
  if (page) expect(run.setPage(page)).toBe(true);
  const gz = await evidenceOf(run, new Redaction(secret === null ? null : JSON.stringify(secret)));
  return JSON.parse(gunzipSync(gz).toString());
}

const encoded = (encoding: string): HeaderPair[] => [['Content-Encoding', encoding]];
const TEXT = 'text ä '.repeat(100);

test.each([
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  ['identity', Buffer.from(TEXT)],
])('a body that is encoded as %s is kept as text', async (encoding, body) => {
  const { exchanges } = await evidence([exchange(body, encoded(encoding))]);
  expect(exchanges).toMatchObject([{ body: { encoding: 'text', data: TEXT }, is_cut: false }]);
});

test.each(['gzip', 'br'])('a body of %s whose end is missing is kept as far as it came', async encoding => {
  const text = Array.from({ length: 50_000 }, (_, n) => String(n)).join(' ');
  const packed = encoding === 'gzip' ? gzipSync(text) : brotliCompressSync(text);
  const half = packed.subarray(0, packed.length / 2);
  const [one] = (await evidence([exchange(half, encoded(encoding), { is_cut: true })])).exchanges;
  expect(one?.is_cut).toBe(true);
  const kept = one?.body?.data ?? '';
  expect(text.startsWith(kept)).toBe(true);
  expect(kept.length).toBeGreaterThan(1_000);
});

test.each([
  ['gzip', gzipSync(Buffer.alloc(100 * 1024 * 1024))],
  ['br', brotliCompressSync(Buffer.alloc(100 * 1024 * 1024))],
  ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(100 * 1024 * 1024)))],
])('a zip bomb in %s is decompressed only to the limit of a body', async (encoding, bomb) => {
  expect(bomb.length).toBeLessThan(EXCHANGE_LIMITS.bodyBytes);
  const [one] = (await evidence([exchange(bomb, encoded(encoding))])).exchanges;
  expect(one).toMatchObject({ is_cut: true, body: { encoding: 'base64' } });
  expect(Buffer.from(one?.body?.data ?? '', 'base64')).toHaveLength(EXCHANGE_LIMITS.bodyBytes);
});

test('decompressed bodies of all exchanges have a limit together, and the last ones count', async () => {
  const packed = gzipSync(Buffer.alloc(EXCHANGE_LIMITS.bodyBytes, 'x'));
  const { exchanges } = await evidence(Array.from({ length: 20 }, () => exchange(packed, encoded('gzip'))));
  expect(exchanges.map(({ body, is_cut }) => [body !== null, is_cut])).toEqual([
    ...Array.from({ length: 4 }, () => [false, true]),
    ...Array.from({ length: 16 }, () => [true, false]),
  ]);
});

test.each(['gzip', 'br', 'deflate', 'unknown', 'gzip, gzip, gzip, gzip'])(
  'a body that is not %s, although its header says it is, is not kept',
  async encoding => {
    const [one] = (await evidence([exchange(Buffer.from('plain text'), encoded(encoding))])).exchanges;
    expect(one).toMatchObject({ body: null, is_cut: true });
  },
);

test.each([
  ['utf-8 without a charset', Buffer.from('ä'), [], { encoding: 'text', data: 'ä' }],
  [
    'a charset',
    Buffer.from([0xe4]),
    [['content-type', 'text/html; charset=ISO-8859-1']],
    { encoding: 'text', data: 'ä' },
  ],
  [
    'an unknown charset',
    Buffer.from('a'),
    [['content-type', 'text/html; charset=klingon']],
    { encoding: 'text', data: 'a' },
  ],
  ['an old page', Buffer.from([0xe4]), [['content-type', 'text/html']], { encoding: 'text', data: 'ä' }],
  ['bytes', Buffer.from([0xff, 0xd8, 0]), [['content-type', 'image/jpeg']], { encoding: 'base64', data: '/9gA' }],
] as [string, Buffer, HeaderPair[], object][])('a body in %s is kept as it is', async (_name, bytes, headers, body) => {
  expect((await evidence([exchange(bytes, headers)])).exchanges).toMatchObject([{ body }]);
});

test('secrets are hidden in addresses, headers, errors and bodies, also between bytes and at a cut', async () => {
  const secret = 'a-secret-of-the-run';
  const bytes = Buffer.concat([Buffer.from([0, 0xff]), Buffer.from(secret), Buffer.from([0, 0xfe])]);
  const { exchanges } = await evidence(
    [
      exchange(bytes, [[`x-${secret}`, secret]], {
        url: `http://u:p@shop.example/?t=${secret}`,
        error: `no ${secret}`,
      }),
      exchange(Buffer.from(`cut ${secret.slice(0, 8)}`), [], { is_cut: true }),
      exchange(gzipSync(secret), encoded('gzip'), { request_body: Buffer.from(encodeURIComponent(secret)) }),
    ],
    [secret],
  );
  expect(JSON.stringify(exchanges)).not.toContain(secret);
  expect(exchanges[0]).toMatchObject({ url: 'http://[redacted]@shop.example/?t=[secret]', error: 'no [secret]' });
  expect(Buffer.from(exchanges[0]?.body?.data ?? '', 'base64').toString('latin1')).toBe('\u0000ÿ[secret]\u0000þ');
  expect(exchanges[1]?.body?.data).toBe('cut [secret]');
  expect(exchanges[2]).toMatchObject({ body: { data: '[secret]' }, request_body: { data: '[secret]' } });
});

test('the beginning of a secret is hidden where the run has cut an address, a header, an error, or a text of the page', async () => {
  const secret = 'a-secret-of-the-run';
  const cutAt = (chars: number, beginning = '') => `${beginning.padEnd(chars - 8, '.')}${secret.slice(0, 8)}`;
  const { url, header, error, text } = {
    url: cutAt(EXCHANGE_LIMITS.urlChars, 'http://shop.example/?t='),
    header: cutAt(EXCHANGE_LIMITS.headerChars),
    error: cutAt(EXCHANGE_LIMITS.errorChars),
    text: cutAt(EXCHANGE_LIMITS.pageTextChars, 'http://shop.example/'),
  };
  const seen = await evidence(
    [exchange(Buffer.of(), [['x-long', header]], { url, error, request_headers: [['x-long', header]] })],
    [secret],
    { title: text, url: text, picture: null, html: null, console: [{ type: 'log', text }] },
  );
  expect(JSON.stringify(seen)).not.toContain(secret.slice(0, 8));
  expect(seen.exchanges[0]?.url).toHaveLength(EXCHANGE_LIMITS.urlChars);
});

test('an uncut text that ends like the beginning of a secret stays as it is', async () => {
  const { exchanges } = await evidence(
    [exchange(Buffer.of(), [], { error: 'ends with a-secret' })],
    ['a-secret-of-the-run'],
  );
  expect(exchanges).toMatchObject([{ error: 'ends with a-secret' }]);
});

/** Headers of this length. */
const headersOf = (chars: number, letter = 'x'): HeaderPair[] =>
  Array.from({ length: 32 }, () => ['n', letter.repeat(chars / 32 - 1)]);

test('an exchange whose headers are longer than a run may send is refused', () => {
  const run = new RunExchanges();
  expect(add(run, exchange(Buffer.of(), headersOf(EXCHANGE_LIMITS.allHeaderChars)))).toBe(true);
  for (const direction of ['request_headers', 'response_headers']) {
    const headers = headersOf(EXCHANGE_LIMITS.allHeaderChars + 32);
    expect(add(run, exchange(Buffer.of(), [], { [direction]: headers }))).toBe(false);
  }
});

test('the headers of all exchanges have a limit together, and the last ones count', () => {
  const run = new RunExchanges();
  const headers = headersOf(EXCHANGE_LIMITS.allHeaderChars);
  for (let sequence = 1; sequence <= EXCHANGE_LIMITS.count; sequence += 1) {
    const body = Buffer.alloc(EXCHANGE_LIMITS.bodyBytes);
    expect(add(run, exchange(body, headers, { sequence, request_headers: headers }))).toBe(true);
  }
  expect(run.exchanges.at(-1)?.sequence).toBe(EXCHANGE_LIMITS.count);
  const held = run.exchanges.reduce((sum, one) => sum + 2 * JSON.stringify(exchangeParts(one).head).length, 0);
  expect(held).toBeLessThan(EXCHANGE_LIMITS.runBytes + EXCHANGE_LIMITS.runHeadBytes);
  expect(run.bytes).toBeGreaterThan(held);
});

test('evidence of the longest headers and bodies fits into what the platform reads', async () => {
  const run = new RunExchanges();
  const headers = headersOf(EXCHANGE_LIMITS.allHeaderChars, '\u0001');
  const full = exchange(Buffer.alloc(EXCHANGE_LIMITS.bodyBytes, 1), headers, { request_headers: headers });
  for (let count = 0; count < EXCHANGE_LIMITS.count; count += 1) add(run, full);
  const json = gunzipSync(await evidenceOf(run, new Redaction(null)));
  expect(json.length).toBeLessThanOrEqual(EVIDENCE_JSON_BYTES);
});

test('messages of a run that sends exchanges and pages without end are refused', () => {
  const run = new RunExchanges();
  const page = { title: 't', url: 'http://a/', picture: null, html: '<p>', console: [] };
  const answers = Array.from({ length: 1_000 }, () => [add(run, exchange(Buffer.of())), run.setPage(page)]).flat();
  const refusedFrom = answers.indexOf(false);
  expect(refusedFrom).toBeGreaterThan(EXCHANGE_LIMITS.count);
  expect(answers.slice(refusedFrom)).not.toContain(true);
  expect(run.count).toBe(EXCHANGE_LIMITS.count + 1);
});

test('a page is kept without secrets, and a picture that is none is refused', () => {
  const run = new RunExchanges();
  const page = { title: 't', url: 'http://a/', picture: null, html: '<p>', console: [] };
  expect(run.setPage({ ...page, picture: 'data:text/html,<script>' })).toBe(false);
  expect(run.setPage({ ...page, html: 'x'.repeat(200_000) })).toBe(false);
  expect(run.count).toBe(0);
  expect(run.setPage(page)).toBe(true);
  expect(run.count).toBe(1);
});

test('credentials in headers, addresses and redirects are hidden, whatever the secret of the run is', async () => {
  const redirect = 'https://Emma:woodhouse@shop.example/?page=2&access_token=abc123#password=def456';
  const headers: HeaderPair[] = [
    ['Location', redirect],
    ['Link', `<${redirect}>; rel="next"`],
    ...['Set-Cookie', 'Proxy-Authorization', 'X-Api-Key', 'X-CSRF-Token', 'X-Amz-Security-Token'].map(
      (name): HeaderPair => [name, 'abc123'],
    ),
    ['Author', 'Jane'],
  ];
  const more = { url: redirect, request_headers: headers, error: `no connection to ${redirect}` };
  const { exchanges } = await evidence([exchange(Buffer.from('body'), headers, more)]);
  const text = JSON.stringify(exchanges);
  for (const secret of ['woodhouse', 'abc123', 'def456']) expect(text).not.toContain(secret);
  expect(exchanges[0]?.url).toBe('https://[redacted]@shop.example/?page=2&access_token=[redacted]#password=[redacted]');
  expect(exchanges[0]?.response_headers.at(-1)).toEqual(['Author', 'Jane']);
});
