import { PassThrough } from 'node:stream';
import { echoSchema, LIMITS } from '@trawl/contracts';
import { LineReader } from './line-reader.js';
import { checkedEcho } from './run-echo.js';

describe('an echo that a run sent', () => {
  test.each([
    [['log', 'text', '2026-01-02T03:04:05.678Z']],
    [['log', 7, 'yesterday']],
    [['nonsense', null, '-271821-04-20T00:00:00Z']],
    [['error', 'text', '+012026-01-02T03:04:05.678Z']],
    [['objekt', `"${'x'.repeat(LIMITS.echoMsgChars)}"`, '2026-01-02']],
    [['image', `data:image/png;base64,${'A'.repeat(LIMITS.echoImageChars)}`, '']],
    [['image', 'data:image/svg+xml;base64,AAAA', '']],
    [null],
    ['log'],
  ])('is made what the platform takes: %#', item => {
    const [type, msg, time] = checkedEcho(item);
    expect(echoSchema.safeParse({ type, msg, time, seq: 1 }).error).toBeUndefined();
    expect(msg.length).toBeLessThanOrEqual(LIMITS.echoMsgChars);
  });

  test('is taken as it is when nothing is wrong with it', () => {
    const image = 'data:image/png;base64,iVBORw0KGgo=';
    expect(checkedEcho(['image', image, '2026-01-02T03:04:05.678Z'])).toEqual([
      'image',
      image,
      '2026-01-02T03:04:05.678Z',
    ]);
  });
});

describe('a pipe', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  async function linesOf(pieces: (string | Buffer)[], maxBytes = 100): Promise<[string, boolean][]> {
    const stream = new PassThrough();
    const lines: [string, boolean][] = [];
    const reader = new LineReader(stream, { maxBytes, line: (text, cut) => lines.push([text, cut]) });
    for (const piece of pieces) stream.write(piece);
    stream.end();
    await reader.ended;
    return lines;
  }

  test('is read by line, wherever it is broken into pieces', async () => {
    const bytes = Buffer.from('ein Fräulein\n\nlast');
    expect(await linesOf([bytes.subarray(0, 7), bytes.subarray(7)])).toEqual([
      ['ein Fräulein', false],
      ['', false],
      ['last', false],
    ]);
  });

  test('with a line of any length is read in bounded memory', async () => {
    expect(await linesOf(['x'.repeat(60), 'y'.repeat(60), `z\nnext\n`])).toEqual([
      [`${'x'.repeat(60)}${'y'.repeat(40)}`, true],
      ['next', false],
    ]);
  });

  test('that is full of lines leaves turns to everything else', async () => {
    const stream = new PassThrough();
    const order: string[] = [];
    const reader = new LineReader(stream, { maxBytes: 100, line: text => order.push(text) });
    stream.end('line\n'.repeat(10_000));
    setImmediate(() => order.push('something else'));
    await reader.ended;
    expect(order).toHaveLength(10_001);
    expect(order.indexOf('something else')).toBeLessThan(1_000);
  });

  test('is read no further while what was read is being dealt with', async () => {
    const stream = new PassThrough();
    let resume = () => {};
    const lines: string[] = [];
    const reader = new LineReader(stream, {
      maxBytes: 100,
      line: text => lines.push(text),
      pace: () => (lines.length === 1 ? new Promise<void>(resolve => (resume = resolve)) : undefined),
    });
    stream.write('one\n');
    await new Promise(setImmediate);
    stream.end('two\n');
    await new Promise(setImmediate);
    expect(lines).toEqual(['one']);
    resume();
    await reader.ended;
    expect(lines).toEqual(['one', 'two']);
  });

  test('that another process holds open is left when it has been empty for a while, not while what came is dealt with', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
    const stream = new PassThrough();
    const lines: string[] = [];
    let resume = () => {};
    const reader = new LineReader(stream, {
      maxBytes: 100,
      line: text => lines.push(text),
      pace: () => (lines.length === 1 ? new Promise<void>(resolve => (resume = resolve)) : undefined),
    });
    let isLeft = false;
    stream.write('one\n');
    const left = reader.leftRead(1_000).then(() => {
      isLeft = true;
    });
    await jest.advanceTimersByTimeAsync(60_000);
    stream.write('two\n');
    expect([isLeft, lines]).toEqual([false, ['one']]);
    resume();
    while (!isLeft) await jest.advanceTimersByTimeAsync(100);
    await left;
    expect(lines).toEqual(['one', 'two']);
  });

  test('into which somebody goes on writing is left all the same', async () => {
    const stream = new PassThrough();
    const reader = new LineReader(stream, { maxBytes: 100, line: () => {} });
    let isLeft = false;
    const left = reader.leftRead(5).then(() => {
      isLeft = true;
    });
    // As large a piece as a pipe gives, until it is enough.
    while (!isLeft) {
      if (!stream.write('x'.repeat(65_536))) await new Promise(setImmediate);
    }
    await left;
  });
});
