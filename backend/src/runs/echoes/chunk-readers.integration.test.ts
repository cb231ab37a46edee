import { gzipSync } from 'node:zlib';
import { ChunkReaders } from './chunk-readers.service.js';

const readers = new ChunkReaders();
afterAll(() => readers.onApplicationShutdown());

/** The id contains the time 2026-02-15T00:00:00.000Z. */
const EXECUTION = `${Date.UTC(2026, 1, 15)
  .toString(16)
  .padStart(12, '0')
  .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`;
const chunkOf = <Rest extends object>(gz: Buffer, rest = {} as Rest) => ({
  gz,
  toSeq: 10,
  executionId: EXECUTION,
  ...rest,
});

const echoes = (count: number) =>
  gzipSync(Array.from({ length: count }, (_, n) => `${n + 1},2026-02-15T00:00:00.000Z,log,page ${n + 1}\n`).join(''));

it('a search in a chunk from either end returns the echoes found and the number of the last one it read', async () => {
  const gz = echoes(10);
  const first = await readers.find('owner', chunkOf(gz, { afterSeq: 2, limit: 2, contains: 'PAGE' }));
  expect(first).toMatchObject({ items: [{ seq: 3 }, { seq: 4 }], stoppedAt: 4 });
  const last = await readers.find('owner', chunkOf(gz, { beforeSeq: 9, limit: 2, fromEnd: true }));
  expect(last).toMatchObject({ items: [{ seq: 7 }, { seq: 8 }], stoppedAt: 7 });
  const all = await readers.find('owner', chunkOf(gz, { limit: Number.POSITIVE_INFINITY, type: 'warn' }));
  expect(all).toEqual({ items: [], stoppedAt: null });
});

it('a search in a chunk finds texts with quotes, Greek letters and line breaks, whatever their case', async () => {
  const messages = ['said "No", twice', 'ΟΔΟΣ', 'two\nlines', ''];
  const rows = messages.map((msg, n) => `${n + 1},2026-02-15T00:00:00.000Z,log,"${msg.replaceAll('"', '""')}"\n`);
  const gz = gzipSync(rows.join(''));
  for (const [n, contains] of ['"no", TWICE', 'οδος', 'O\nL'].entries()) {
    const { items } = await readers.find('owner', chunkOf(gz, { contains, limit: 10 }));
    expect(items).toMatchObject([{ seq: n + 1, msg: messages[n] }]);
    expect(await readers.count('owner', chunkOf(gz, { contains }))).toBe(1);
  }
  expect(await readers.count('owner', chunkOf(gz, { contains: 'nowhere' }))).toBe(0);
});

it('an account that reads many chunks does not delay the reading of another account', async () => {
  const gz = echoes(2_000);
  const order: string[] = [];
  const read = (owner: string) => readers.count(owner, chunkOf(gz)).then(() => order.push(owner));
  await Promise.all([...Array.from({ length: 30 }, () => read('busy')), read('other')]);
  // `other` may wait for the chunks that are being read when it comes.
  expect(order.indexOf('other')).toBeLessThan(8);
});

it('a search shows a warning in place of a chunk that is no gzip or has too few columns, and reads the next chunk', async () => {
  for (const gz of [Buffer.from('no gzip'), gzipSync('1,2,3\n'), gzipSync('x'.repeat(4 * 1024 * 1024))]) {
    const { items } = await readers.find('owner', chunkOf(gz, { limit: 10 }));
    expect(items).toEqual([
      {
        seq: 10,
        type: 'warn',
        time: '2026-02-15T00:00:00.000Z',
        msg: expect.stringContaining('cannot show the echoes'),
      },
    ]);
    expect(await readers.count('owner', chunkOf(gz, { type: 'warn' }))).toBe(1);
    expect(await readers.csv('owner', chunkOf(gz))).toContain('10,2026-02-15T00:00:00.000Z,warn,');
  }
  expect(await readers.csv('owner', chunkOf(gzipSync('1,2026-02-15T00:00:00.000Z,log,=1+1\n')))).toContain("'=1+1");
});
