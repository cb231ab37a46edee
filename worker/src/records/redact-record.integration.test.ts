import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { packExchange } from './pack-exchange.js';
import { RECORD_HEAD, RecordRefused } from './record-format.js';
import { RecordReader } from './record-reader.js';
import { redactRecord } from './redact-record.js';
import { RunRecord } from './run-record.js';

const TOKEN = 'token-of-the-login';
const EXCHANGE = {
  method: 'POST',
  url: `https://shop.example/login?again=${TOKEN}`,
  request: '',
  status: 200,
  status_text: 'OK',
  headers: [['x-token', TOKEN] as [string, string]],
  error: null,
};
const redact = async (text: string) => text.replaceAll(TOKEN, '[secret]');
const folder = mkdtempSync(join(tmpdir(), 'trawl-redact-record-'));
const path = join(folder, 'record');
afterAll(() => rmSync(folder, { recursive: true }));

async function contentOf(record: string): Promise<unknown[]> {
  const reader = await RecordReader.open(record);
  try {
    const found = [];
    for await (const exchange of reader.exchanges()) {
      found.push({ url: exchange.head.url, headers: exchange.head.headers, body: await reader.body(exchange) });
    }
    return found;
  } finally {
    await reader.close();
  }
}

const page = (token: string): Buffer => Buffer.from(JSON.stringify({ token, more: 'x'.repeat(1_000) }));
// No text in any encoding.
const image = (token: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xd8, 0x80]), Buffer.from(token)]);

it('a record that was written before the run knew a token is stored without it', async () => {
  const saved: string[] = [];
  const records = {
    load: async () => {},
    save: async (_: string, file: string | null) => {
      const [first, second] = (await contentOf(file as string)) as { url: string; headers: unknown; body: Buffer }[];
      expect(first).toEqual({
        url: 'https://shop.example/login?again=[secret]',
        headers: [['x-token', '[secret]']],
        body: page('[secret]'),
      });
      expect(second?.body).toEqual(image('[secret]'));
      saved.push(file as string);
    },
  };
  const record = new RunRecord(path, { log: pino({ level: 'silent' }), redacted: text => text });
  record.append(Buffer.from(RECORD_HEAD));
  record.append(await packExchange(EXCHANGE, page(TOKEN)));
  record.append(await packExchange(EXCHANGE, image(TOKEN)));
  await record.save('run', records, redact);
  expect(saved).toEqual([path]);
});

it('an address that begins with a value of the session stays an address', async () => {
  const lastPage = 'https://shop.example/members?';
  writeFileSync(path, RECORD_HEAD);
  appendFileSync(path, await packExchange({ ...EXCHANGE, url: `${lastPage}page=2` }, Buffer.from('two')));
  await redactRecord(path, async text => text.replaceAll(lastPage, '[secret]'));
  expect(await contentOf(path)).toMatchObject([
    { url: 'https://shop.example/[secret]page=2', body: Buffer.from('two') },
  ]);
});

it('a damaged body is no reason to keep the record without redaction', async () => {
  const head = { ...EXCHANGE, packed: 3, body: 9 };
  const record = Buffer.from(`${RECORD_HEAD}${JSON.stringify(head)}\nabc\n`);
  writeFileSync(path, record);
  await expect(redactRecord(path, redact)).rejects.toThrow(RecordRefused);
  expect(readFileSync(path)).toEqual(record);
});

it('a record whose bodies become too large is refused', async () => {
  const body = gzipSync(Buffer.alloc(16 * 1024 * 1024));
  const head = JSON.stringify({ ...EXCHANGE, packed: body.length, body: 16 * 1024 * 1024 });
  const exchange = Buffer.concat([Buffer.from(`${head}\n`), body, Buffer.from('\n')]);
  writeFileSync(path, Buffer.concat([Buffer.from(RECORD_HEAD), ...Array(33).fill(exchange)]));
  await expect(redactRecord(path, async text => text)).rejects.toThrow('have more than 512 MB together');
});
