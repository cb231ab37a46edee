import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FoundExchange } from '../../records/record-reader.js';
import { RecordReader } from '../../records/record-reader.js';
import { checkRecord } from '../../records/run-record.js';
import { OpenExchange } from '../exchanges/open-exchange.js';
import { type RecordableExchange, Recorder } from './recorder.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorder-'));
});
afterAll(() => rm(folder, { recursive: true }));

const exchange = (fields: Partial<RecordableExchange> = {}): RecordableExchange => ({
  method: 'GET',
  url: 'http://site.test/',
  request_headers: [],
  request_body: Buffer.alloc(0),
  status: 200,
  status_text: 'OK',
  response_headers: [],
  body: Buffer.from('text'),
  is_cut: false,
  error: null,
  ...fields,
});

/** Records what `fill` adds, and reads the record as a replay does. */
async function recorded(fill: (recorder: Recorder) => void, secret: object | null = null) {
  const pieces: Buffer[] = [];
  const warnings: string[] = [];
  const recorder = new Recorder(
    secret && JSON.stringify(secret),
    bytes => pieces.push(bytes),
    text => warnings.push(text),
  );
  fill(recorder);
  await recorder.finish();
  const path = join(folder, 'record');
  await writeFile(path, Buffer.concat(pieces));
  await checkRecord(path);
  const reader = await RecordReader.open(path);
  const found: (FoundExchange['head'] & { text: string })[] = [];
  for await (const one of reader.exchanges()) {
    found.push({ ...one.head, text: (await reader.body(one)).toString('latin1') });
  }
  await reader.close();
  return { found, warnings };
}

const add = (...exchanges: Partial<RecordableExchange>[]) =>
  recorded(recorder => {
    for (const one of exchanges) recorder.add(exchange(one));
  });

test('an exchange whose address is no URL is left out with a warning, and the next one is recorded', async () => {
  const { found, warnings } = await add({ url: 'http://a host/' }, { url: 'http://site.test/next' });
  expect(found.map(({ url }) => url)).toEqual(['http://site.test/next']);
  expect(warnings).toEqual([expect.stringContaining('lacks GET http://a host/')]);
});

test.each([
  ['a header that HTTP forbids', { response_headers: [['name', '\u4e2d']] as [string, string][] }],
  ['a status of no answer', { status: 101 }],
  ['an address that is longer than a head may be', { url: `http://site.test/${'x'.repeat(300_000)}` }],
])('an exchange with %s does not cost the record: it is left out with a warning', async (_what, fields) => {
  const { found, warnings } = await add(fields, { url: 'http://site.test/next' });
  expect(found.filter(({ left_out }) => left_out === undefined).map(({ url }) => url)).toEqual([
    'http://site.test/next',
  ]);
  expect(warnings).toEqual([expect.stringContaining('The record of this run lacks GET http://site.test/')]);
  expect((warnings[0] as string).length).toBeLessThan(1_000);
});

test('a host that is a secret, and a long text of an error, are in a record that a replay can read', async () => {
  const { found, warnings } = await recorded(
    recorder => {
      recorder.add(exchange({ url: 'https://private-host/x' }));
      recorder.add(exchange({ status: null, error: 'e'.repeat(2_000) }));
    },
    { host: 'private-host' },
  );
  expect(warnings).toEqual([]);
  expect(found.map(({ url, error }) => [url, error?.length])).toEqual([
    ['https://[secret]/x', undefined],
    ['http://site.test/', 2_000],
  ]);
});

test('an answer that the skript gave up keeps its status, and the part that had arrived', async () => {
  const text = 'first line\n'.repeat(2_000);
  const packed = gzipSync(text);
  const { found, warnings } = await add(
    { error: 'aborted', body: Buffer.from('beginning') },
    {
      error: 'aborted',
      body: packed.subarray(0, packed.length - 12),
      response_headers: [['content-encoding', 'gzip']],
    },
    { status: null, status_text: '', error: 'refused' },
  );
  expect(found.map(({ status, error }) => [status, error])).toEqual([
    [200, null],
    [200, null],
    [0, 'refused'],
  ]);
  expect(found[0]?.text).toBe('beginning');
  expect(found[1]?.text).toMatch(/^first line\n/);
  expect(warnings).toEqual([expect.stringContaining('2 answers not read to the end')]);
});

test('an answer that is still open when the run ends is recorded once', async () => {
  const { found, warnings } = await recorded(recorder => {
    const answered = new OpenExchange(1, { via: 'undici', method: 'GET', url: 'http://site.test/big' }, 100, false);
    const waiting = new OpenExchange(2, { via: 'undici', method: 'GET', url: 'http://site.test/silent' }, 100, false);
    for (const one of [answered, waiting]) recorder.begun(one);
    answered.status = 206;
    answered.body.add(Buffer.from('beginning'));
    void recorder.finish();
    answered.end(null);
    recorder.ended(answered);
  });
  expect(found.map(({ url, status, text }) => [url, status, text])).toEqual([
    ['http://site.test/big', 206, 'beginning'],
  ]);
  expect(warnings).toEqual([expect.stringContaining('such as GET http://site.test/big')]);
});

test('a record has no secret in a body that is not clean UTF-8, in the text of an error, or in that of a status', async () => {
  const bytes = (value: string) => Buffer.concat([Buffer.from([0xff, 0xe9]), Buffer.from(`a ${value} b`)]);
  const { found } = await recorded(
    recorder => {
      recorder.add(exchange({ body: bytes('correct-horse'), status_text: 'no correct-horse' }));
      recorder.add(exchange({ status: null, error: 'no correct-horse' }));
    },
    { password: 'correct-horse' },
  );
  expect(found.map(({ text, status_text, error }) => [text, status_text, error])).toEqual([
    ['\xff\xe9a [secret] b', 'no [secret]', null],
    ['text', 'OK', 'no [secret]'],
  ]);
});

test('the value of a new cookie is replaced, however many cookies came before', async () => {
  const { found } = await recorded(recorder => {
    const cookies = Array.from({ length: 1_001 }, (_, n): [string, string] => [
      'set-cookie',
      `id=cookie-${10_000 + n}`,
    ]);
    for (const response_headers of [cookies.slice(0, 600), cookies.slice(600)])
      recorder.add(exchange({ response_headers }));
    recorder.add(exchange({ body: Buffer.from('cookie-11000') }));
  });
  expect(found.at(-1)?.text).toBe('redacted-id');
});

test('exchanges that come faster than they are packed do not fill the memory', async () => {
  const body = Buffer.alloc(15 * 1024 * 1024);
  const { warnings } = await add(...Array.from({ length: 5 }, () => ({ body, is_cut: true })));
  expect(warnings.map(text => text.slice(text.indexOf('lacks'), text.indexOf('MB')))).toEqual([
    'lacks GET http://site.test/: more than 64 ',
    ...Array(4).fill('lacks GET http://site.test/: its body has more than 16 '),
  ]);
});

test('a record has long addresses and long headers whole', async () => {
  const open = new OpenExchange(
    1,
    { via: 'http', method: 'GET', url: `http://site.test/${'x'.repeat(20_000)}` },
    9,
    false,
  );
  open.status = 200;
  open.responseHeaders = limits => [['name', 'y'.repeat(20_000).slice(0, limits.headerChars)]];
  const { found } = await recorded(recorder => {
    recorder.begun(open);
    open.end(null);
    recorder.ended(open);
  });
  expect([found[0]?.url.length, found[0]?.headers[0]?.[1].length]).toEqual([20_017, 20_000]);
});

test('the answer to HEAD keeps its length, and other answers do not', async () => {
  const response_headers: [string, string][] = [['Content-Length', '12345']];
  const { found } = await add({ method: 'HEAD', body: Buffer.alloc(0), response_headers }, { response_headers });
  expect(found.map(({ headers }) => headers)).toEqual([[['Content-Length', '12345']], []]);
});

test('a body in an encoding that Trawl does not know stays as it is, with its header', async () => {
  const response_headers: [string, string][] = [['content-encoding', 'dcb']];
  const { found } = await add({ body: Buffer.from('packed'), response_headers });
  expect(found).toMatchObject([{ text: 'packed', headers: [['content-encoding', 'dcb']] }]);
});

test('a token in a header of an answer is replaced, also where the skript sends it back', async () => {
  const token = 'abcdefgh.12345678';
  const { found } = await add(
    {
      response_headers: [
        ['Authorization', `Bearer ${token}`],
        ['x-api-key', token],
        ['etag', 'W/"12345678"'],
      ],
    },
    { url: `http://Emma:${token}@site.test/?token=${token}`, body: Buffer.from(`token: ${token}`) },
  );
  expect(JSON.stringify(found)).not.toContain(token);
  expect(found[0]?.headers[2]).toEqual(['etag', 'W/"12345678"']);
  expect(found[1]?.url).toMatch(/^http:\/\/site\.test\/\?token=redacted-/);
});

test('bodies that are too large, or arrive together, are dropped while they arrive, and bodies that are recorded after that', async () => {
  const opened: OpenExchange[] = [];
  const { found, warnings } = await recorded(recorder => {
    const begin = () => {
      const open = new OpenExchange(
        1,
        { via: 'http', method: 'GET', url: 'http://site.test/' },
        recorder.bodyBytes,
        true,
      );
      opened.push(open);
      recorder.begun(open);
      return open;
    };
    const receive = (open: OpenExchange, mb: number) => {
      for (let n = 0; n < mb; n += 1) {
        open.body.add(Buffer.alloc(1024 * 1024));
        recorder.grown(open);
      }
    };
    receive(begin(), 40);
    for (let n = 0; n < 6; n += 1) receive(begin(), 12);
    for (const open of opened) {
      open.status = 200;
      open.end(null);
      recorder.ended(open);
    }
  });
  const kept = opened.reduce((sum, { keptBytes }) => sum + keptBytes, 0);
  expect(kept).toBeLessThanOrEqual(opened.length * 256 * 1024);
  expect(found.filter(({ left_out }) => left_out === undefined)).toHaveLength(5);
  expect(found.filter(({ left_out }) => left_out !== undefined)).toHaveLength(2);
  expect(warnings).toEqual([
    expect.stringContaining('its body has more than 16 MB'),
    expect.stringContaining('more than 64 MB of bodies arrive at the same time'),
  ]);
});

test('the values of many cookies are replaced everywhere, also the ones that were set last and those that touch', async () => {
  const values = Array.from({ length: 1_200 }, (_, n) => `value-of-cookie-${n}$&`);
  const cookies = values.map(
    (value, n): Partial<RecordableExchange> => ({ response_headers: [['set-cookie', `c${n}=${value}`]] }),
  );
  // A record remembers 1,000 texts; these values have an encoded form, too.
  const last = values.slice(-500);
  const { found } = await add(...cookies, { body: Buffer.from(`${last.join('')} and ${last.join(' ')}`) });
  const names = last.map((_, n) => `redacted-c${n + 700}`);
  expect(found.at(-1)?.text === `${names.join('')} and ${names.join(' ')}`).toBe(true);
});

test('a value that begins with another one, or overlaps another one, is replaced as a whole', async () => {
  const response_headers = ['part=abcdefgh', 'whole=abcdefgh-tail-1', 'next=tail-1-and-more'].map(
    (value): [string, string] => ['set-cookie', value],
  );
  const { found } = await add(
    { response_headers },
    { body: Buffer.from('<abcdefgh-tail-1> <abcdefgh-tail-1-and-more>') },
  );
  expect(found[1]?.text).toBe('<redacted-whole> <redacted-whole>');
});

test('a warning has no credentials of an address, also where it is cut', async () => {
  const value = 'correct-horse-battery';
  const { warnings } = await recorded(
    recorder => {
      recorder.add(exchange({ url: 'http://Emma:hunter22@site.test/?access_token=abcdefgh', is_cut: true }));
      recorder.add(exchange({ url: `http://site.test/${'x'.repeat(475)}/${value}`, is_cut: true }));
    },
    { value },
  );
  expect(warnings).toHaveLength(2);
  expect(warnings.join()).not.toMatch(/hunter22|abcdefgh|corr/);
});

test('a word in a header that is no token stays in later answers', async () => {
  const response_headers: [string, string][] = [['x-cookie-consent', 'required']];
  const { found } = await add({ response_headers }, { body: Buffer.from('required') });
  expect([found[0]?.headers, found[1]?.text]).toEqual([response_headers, 'required']);
});
