import { gzipSync } from 'node:zlib';
import { ChunkReaders } from './chunk-readers.service.js';

const readers = new ChunkReaders();
afterAll(() => readers.onApplicationShutdown());

const echoes = (count: number) =>
  gzipSync(Array.from({ length: count }, (_, n) => `${n + 1},2026-02-15T00:00:00.000Z,log,page ${n + 1}\n`).join(''));

it('a search in a chunk from either end returns the echoes found and the number of the last one it read', async () => {
  const gz = echoes(10);
  const first = await readers.find('owner', { gz, afterSeq: 2, limit: 2, contains: 'PAGE' });
  expect(first).toMatchObject({ items: [{ seq: 3 }, { seq: 4 }], stoppedAt: 4 });
  const last = await readers.find('owner', { gz, beforeSeq: 9, limit: 2, fromEnd: true });
  expect(last).toMatchObject({ items: [{ seq: 7 }, { seq: 8 }], stoppedAt: 7 });
  const all = await readers.find('owner', { gz, limit: Number.POSITIVE_INFINITY, type: 'warn' });
  expect(all).toEqual({ items: [], stoppedAt: null });
});

it('a search in a chunk finds texts with quotes, Greek letters and line breaks, whatever their case', async () => {
  const messages = ['said "No", twice', 'ΟΔΟΣ', 'two\nlines', ''];
  const rows = messages.map((msg, n) => `${n + 1},2026-02-15T00:00:00.000Z,log,"${msg.replaceAll('"', '""')}"\n`);
  const gz = gzipSync(rows.join(''));
  for (const [n, contains] of ['"no", TWICE', 'οδος', 'O\nL'].entries()) {
    const { items } = await readers.find('owner', { gz, contains, limit: 10 });
    expect(items).toMatchObject([{ seq: n + 1, msg: messages[n] }]);
    expect(await readers.count('owner', { gz, contains })).toBe(1);
  }
  expect(await readers.count('owner', { gz, contains: 'nowhere' })).toBe(0);
});

it('an account that reads many chunks does not delay the reading of another account', async () => {
  const gz = echoes(2_000);
  const order: string[] = [];
  const read = (owner: string) => readers.count(owner, { gz }).then(() => order.push(owner));
  await Promise.all([...Array.from({ length: 30 }, () => read('busy')), read('other')]);
  // `other` may wait for the chunks that are being read when it comes.
  expect(order.indexOf('other')).toBeLessThan(8);
});

it('chunk readers refuse invalid gzip and rows with too few columns, and still read the next chunk', async () => {
  await expect(readers.check('worker', Buffer.from('no gzip'))).rejects.toThrow();
  await expect(readers.check('worker', gzipSync('1,2,3\n'))).rejects.toThrow('A row has 3 columns.');
  expect(await readers.csv('owner', gzipSync('1,2026-02-15T00:00:00.000Z,log,=1+1\n'))).toContain("'=1+1");
});
