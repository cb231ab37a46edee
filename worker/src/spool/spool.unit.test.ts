import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Echo, LIMITS } from '@trawl/contracts';
import { csvEchoes } from './csv.js';
import { RunJournal } from './run-journal.js';
import { Spool } from './spool.js';

const ID = '0190f7a2-0000-7000-8000-000000000001';
const TIME = '2026-01-02T03:04:05.678Z';
/** Room for the row that says that the spool is full, which needs fewer bytes than this. */
const MARKER_BYTES = 500;
const RESULT = { action: 'end', output: '1', error_code: null, error_stack: null } as const;

let parent: string;
let folder: string;
let journal: RunJournal;
const opened: Spool[] = [];
const failed = (error: unknown) => {
  throw error;
};

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'trawl-spool-'));
  folder = join(parent, ID);
  journal = new RunJournal(join(parent, 'runs.jsonl'));
});

afterEach(async () => {
  for (const spool of opened.splice(0)) await spool.remove();
  rmSync(parent, { recursive: true, force: true });
});

function create(): Spool {
  const spool = Spool.create(ID, { runs: parent, journal, failed });
  opened.push(spool);
  return spool;
}

async function reopen(): Promise<Spool> {
  journal = new RunJournal(join(parent, 'runs.jsonl'));
  const spool = await Spool.reopen(ID, { runs: parent, journal, failed });
  opened.push(spool);
  return spool;
}

/** Acknowledges every chunk as the platform would, and returns their echoes. */
async function takeChunks(spool: Spool): Promise<Echo[]> {
  const echoes: Echo[] = [];
  if (spool.result) spool.finishTried();
  for (let chunk = await spool.nextChunk(); chunk; chunk = await spool.nextChunk()) {
    const rows = await spool.rows(chunk);
    expect(rows.length).toBeLessThanOrEqual(LIMITS.echoChunkBytes);
    const taken = csvEchoes(rows);
    expect([taken[0]?.seq, taken.at(-1)?.seq]).toEqual([chunk.from_seq, chunk.to_seq]);
    echoes.push(...taken);
    spool.acknowledgeChunk(chunk.n);
  }
  return echoes;
}

test('the spool numbers echoes from 1, and restores any text unchanged', async () => {
  const spool = create();
  const texts = ['plain', 'a "quoted", text', 'two\nlines\r\n', '', 'ä…😀\0'];
  for (const text of texts) spool.append('log', TIME, text);
  const result = await spool.finish(RESULT);
  expect(result).toEqual({ id: ID, ...RESULT, last_seq: 5, last_chunk: 1 });
  expect(await takeChunks(spool)).toEqual(texts.map((msg, at) => ({ type: 'log', time: TIME, msg, seq: at + 1 })));
});

test('the spool saves several echoes at once as it saves one after the other', async () => {
  const spool = create();
  spool.append('log', TIME, 'first');
  expect(
    spool.appendAll([
      ['warn', 'a "quoted"\ntext', TIME],
      ['log', 'ä', TIME],
      ['log', 'b', '2026-01-02T03:04:05.679Z'],
    ]),
  ).toBe(2);
  expect(spool.appendAll([])).toBe(5);
  spool.append('log', TIME, 'last');
  await spool.finish(RESULT);
  expect((await takeChunks(spool)).map(({ seq, type, msg }) => [seq, type, msg])).toEqual([
    [1, 'log', 'first'],
    [2, 'warn', 'a "quoted"\ntext'],
    [3, 'log', 'ä'],
    [4, 'log', 'b'],
    [5, 'log', 'last'],
  ]);
});

test('the spool refuses echoes that are too large for one chunk or for the rest of the run', async () => {
  const spool = create();
  const text = 'x'.repeat(LIMITS.echoMsgChars);
  expect(spool.appendAll(Array(11).fill(['log', text, TIME]))).toBeNull();
  for (let kept = 0; kept < 670; kept += 10) spool.appendAll(Array(10).fill(['log', text, TIME]));
  expect(spool.appendAll(Array(10).fill(['log', text, TIME]))).toBeNull();
  expect(spool.full).toBe(false);
  expect(await spool.finish(RESULT)).toMatchObject({ last_seq: 670 });
  expect(await takeChunks(spool)).toHaveLength(670);
});

test('the spool cuts chunks of at most the maximum size, and no empty chunks', async () => {
  const spool = create();
  for (let n = 0; n < 60; n += 1) spool.append('log', TIME, 'ä'.repeat(30_000));
  expect(await spool.finish(RESULT)).toMatchObject({ last_seq: 60, last_chunk: 4 });
  expect(await takeChunks(spool)).toHaveLength(60);
});

test('the spool keeps no echoes above the limit of a run, and ends with a warning about the limit', async () => {
  const spool = create();
  const text = 'x'.repeat(LIMITS.echoMsgChars);
  let kept = 0;
  while (spool.append('log', TIME, text)) kept += 1;
  expect(kept).toBe(Math.floor(LIMITS.echoBytesPerRun / (text.length + 37)) + 1);
  expect(spool.append('log', TIME, 'more')).toBeNull();
  await spool.written();
  const [last] = await spool.read(kept, 10);
  expect(last).toMatchObject({ seq: kept, type: 'warn', msg: expect.stringContaining('64 MB of echoes') });
});

test('the spool counts the limit of a run’s echoes in bytes, not in characters', async () => {
  const spool = create();
  const text = '€'.repeat(LIMITS.echoMsgChars);
  let kept = 0;
  while (spool.append('log', TIME, text)) kept += 1;
  expect(kept).toBe(Math.floor(LIMITS.echoBytesPerRun / (Buffer.byteLength(text) + 37)) + 1);
  await spool.written();
  expect(statSync(join(folder, 'echoes.csv')).size).toBeLessThanOrEqual(LIMITS.echoBytesPerRun + MARKER_BYTES);
});

test('the spool reads the echoes that are in no acknowledged chunk, page by page', async () => {
  const spool = create();
  for (let n = 1; n <= 10; n += 1) spool.append('log', TIME, `echo ${n}`);
  spool.cut();
  for (let n = 11; n <= 20; n += 1) spool.append('log', TIME, `echo ${n}`);
  expect((await spool.read(8, 5)).map(({ seq }) => seq)).toEqual([8, 9, 10, 11, 12]);
  expect((await spool.read(18, 50)).map(({ seq }) => seq)).toEqual([18, 19, 20]);
  spool.acknowledgeChunk(1);
  expect((await spool.read(1, 50)).map(({ seq }) => seq)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  expect(await spool.read(21, 50)).toEqual([]);
});

test.each([
  // In JSON, an escaped text may be six times as long. Short echoes need much JSON in addition to their text.
  ['long', 30, '\0'.repeat(90_000)],
  ['short', 15_000, 'x'],
])('a page of echoes that the spool reads fits in a frame when the echoes are %s', async (_name, count, text) => {
  const spool = create();
  for (let n = 0; n < count; n += 1) spool.append('log', TIME, text);
  const items = await spool.read(1, count);
  expect(items.length).toBeGreaterThan(0);
  const envelope = 1_000;
  expect(Buffer.byteLength(JSON.stringify({ items })) + envelope).toBeLessThan(LIMITS.frameBytes);
});

test('the spool restores all complete echoes after the worker was killed', async () => {
  const spool = create();
  for (let n = 1; n <= 3; n += 1) spool.append('log', TIME, `echo "${n}"\n`);
  spool.cut();
  spool.append('warn', TIME, 'in no\nchunk yet');
  await spool.written();
  spool.acknowledgeChunk(1);
  await spool.written();
  appendFileSync(join(folder, 'echoes.csv'), `5,${TIME},log,"half a ro`);
  appendFileSync(join(folder, 'journal.jsonl'), '{"chunk":{"n":3,');

  const again = await reopen();
  expect(again.result).toBeUndefined();
  expect(await again.finish(RESULT)).toMatchObject({ last_seq: 4, last_chunk: 2 });
  expect(await takeChunks(again)).toEqual([{ type: 'warn', time: TIME, msg: 'in no\nchunk yet', seq: 4 }]);
});

test('the spool cuts echoes that are in no chunk into several chunks when it is reopened', async () => {
  const spool = create();
  spool.append('log', TIME, 'y'.repeat(50_000));
  await spool.written();
  const rows = Array.from({ length: 39 }, (_, n) => `${n + 2},${TIME},log,"${'y'.repeat(50_000)}"\n`);
  appendFileSync(join(folder, 'echoes.csv'), rows.join(''));
  const again = await reopen();
  expect(await again.finish(RESULT)).toMatchObject({ last_seq: 40, last_chunk: 2 });
  expect((await takeChunks(again)).map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
});

test('the spool restores the result of an ended run, and whether the result was delivered', async () => {
  const spool = create();
  spool.append('log', TIME, 'not taken by the platform yet');
  const result = await spool.finish(RESULT);
  const again = await reopen();
  expect(again.result).toEqual(result);
  expect(again.finished).toBe(false);
  again.acknowledgeFinish();
  await again.written();
  expect((await reopen()).finished).toBe(true);
});

test('the spool writes many echoes to a file, and leaves no file of a run after its removal', async () => {
  const spool = create();
  const text = 'x'.repeat(5_000);
  for (let n = 1; n <= 5; n += 1) {
    spool.append('log', TIME, text);
    await spool.written();
  }
  await spool.finish(RESULT);
  const rows = [1, 2, 3, 4, 5].map(n => `${n},${TIME},log,"${text}"\n`).join('');
  expect(readFileSync(join(folder, 'echoes.csv'), 'utf8')).toBe(rows);
  expect(readFileSync(join(parent, 'runs.jsonl'), 'utf8')).toContain('"inFolder":true');
  await spool.remove();
  expect(existsSync(folder)).toBe(false);
  expect(new RunJournal(join(parent, 'runs.jsonl')).left).toEqual([]);
});

test('the spool restores a run without echoes, which has no folder', async () => {
  create();
  expect(new RunJournal(join(parent, 'runs.jsonl')).left).toEqual([ID]);
  expect((await reopen()).result).toBeUndefined();
  const [again] = opened.slice(-1) as [Spool];
  const result = await again.finish(RESULT);
  expect(existsSync(folder)).toBe(false);
  expect((await reopen()).result).toEqual(result);
});

test('the spool keeps few echoes without a folder, also after the worker was killed, and sends them with the result', async () => {
  create().append('log', TIME, 'a "quoted"\ntext');
  await opened[0]?.written();
  const killed = await reopen();
  killed.append('warn', TIME, 'after the start');
  expect(await killed.read(1, 10)).toMatchObject([{ seq: 1, msg: 'a "quoted"\ntext' }, { seq: 2 }]);
  const result = await killed.finish(RESULT);
  expect(result).toMatchObject({ last_seq: 2, last_chunk: 1 });
  const again = await reopen();
  expect(again.result).toEqual(result);
  for (const spool of [killed, again]) {
    expect(spool.chunkOfFinish).toMatchObject({ n: 1, from_seq: 1, to_seq: 2 });
    expect(await takeChunks(spool)).toMatchObject([{ msg: 'a "quoted"\ntext' }, { msg: 'after the start' }]);
  }
  expect(existsSync(folder)).toBe(false);
});

test('the spool sends a chunk that went with the result no second time', async () => {
  const spool = create();
  spool.append('log', TIME, 'echo');
  await spool.finish(RESULT);
  const next = spool.nextChunk();
  spool.acknowledgeChunk(spool.chunkOfFinish?.n as number);
  spool.finishTried();
  expect(await next).toBeNull();
});

test('the spool restores echoes that were on their way from the journal of all runs to a file', async () => {
  const spool = create();
  for (const text of ['one', 'two']) spool.append('log', TIME, text);
  await spool.written();
  const rows = ['one', 'two', 'three'].map((text, at) => `${at + 1},${TIME},log,"${text}"\n`);
  for (const [written, texts] of [
    [rows.slice(0, 1), ['one', 'two']],
    [rows.slice(0, 2), ['one', 'two']],
    [rows, ['one', 'two', 'three']],
  ] as const) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'echoes.csv'), written.join(''));
    const again = await reopen();
    await again.finish(RESULT);
    expect((await takeChunks(again)).map(({ msg }) => msg)).toEqual(texts);
    await again.remove();
    expect(existsSync(folder)).toBe(false);
    writeFileSync(join(parent, 'runs.jsonl'), `${JSON.stringify({ id: ID, rows: rows.slice(0, 2).join('') })}\n`);
  }
});

test('the spool writes an echo that is appended at the moment at which a write ends', async () => {
  for (let ticks = 0; ticks < 6; ticks += 1) {
    const spool = create();
    spool.append('log', TIME, 'one');
    for (let tick = 0; tick < ticks; tick += 1) await null;
    spool.append('log', TIME, `after ${ticks}`);
    await new Promise(setImmediate);
    expect(readFileSync(join(parent, 'runs.jsonl'), 'utf8')).toContain(`after ${ticks}`);
    await spool.remove();
  }
});

test('the spool is congested while more than 1 MB of echoes is not yet on disk', async () => {
  const spool = create();
  expect(spool.congested).toBe(false);
  for (let n = 0; n < 12; n += 1) spool.append('log', TIME, 'z'.repeat(100_000));
  expect(spool.congested).toBe(true);
  await spool.written();
  expect(spool.congested).toBe(false);
});
