import { PassThrough } from 'node:stream';
import { echoSchema, LIMITS } from '@trawl/contracts';
import { LineReader } from '../process/line-reader.js';
import { checkedEcho } from '../protocol/echo-items.js';

jest.mock('node:timers/promises', () => jest.requireActual('../../test/faked-timers-promises.js'));

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
  ])('is turned into a valid echo if it is invalid: %#', item => {
    const [type, msg, time] = checkedEcho(item);
    expect(echoSchema.safeParse({ type, msg, time, seq: 1 }).error).toBeUndefined();
    expect(msg.length).toBeLessThanOrEqual(LIMITS.echoMsgChars);
  });

  test('loses terminal codes before it is cut, so that they do not count', () => {
    const time = '2026-01-02T03:04:05.678Z';
    const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
    for (const type of ['log', 'warn', 'error']) expect(checkedEcho([type, red('red'), time])[1]).toBe('red');
    const longest = 'x'.repeat(LIMITS.echoMsgChars);
    expect(checkedEcho(['log', red(longest), time])[1] === longest).toBe(true);
  });

  test('loses terminal colours within the strings of an object', () => {
    const json = JSON.stringify({ text: '\u001b[31mred\u001b[39m', other: '\u009b31m' });
    expect(checkedEcho(['objekt', json, '2026-01-02T03:04:05.678Z'])[1]).toBe('{"text":"red","other":""}');
  });

  test('stays unchanged if it is valid', () => {
    const image = 'data:image/png;base64,iVBORw0KGgo=';
    expect(checkedEcho(['image', image, '2026-01-02T03:04:05.678Z'])).toEqual([
      'image',
      image,
      '2026-01-02T03:04:05.678Z',
    ]);
  });
});

describe('the line reader of a run’s pipe', () => {
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

  /** A `pace` that waits for `resume` after the first line. On a slow machine the reader calls it more than once. */
  function pacedAfterOne() {
    const lines: string[] = [];
    let resume = () => {};
    const resumed = new Promise<void>(resolve => {
      resume = resolve;
    });
    return { lines, pace: () => (lines.length === 1 ? resumed : undefined), resume };
  }

  test('gives whole lines, wherever the pieces of data are split', async () => {
    const bytes = Buffer.from('ein Fräulein\n\nlast');
    expect(await linesOf([bytes.subarray(0, 7), bytes.subarray(7)])).toEqual([
      ['ein Fräulein', false],
      ['', false],
      ['last', false],
    ]);
  });

  test('cuts long lines, so that its memory is bounded', async () => {
    expect(await linesOf(['x'.repeat(60), 'y'.repeat(60), `z\nnext\n`])).toEqual([
      [`${'x'.repeat(60)}${'y'.repeat(40)}`, true],
      ['next', false],
    ]);
  });

  test('lets other work run while the pipe is full of lines', async () => {
    const stream = new PassThrough();
    const order: string[] = [];
    const reader = new LineReader(stream, { maxBytes: 100, line: text => order.push(text) });
    stream.end('line\n'.repeat(10_000));
    setImmediate(() => order.push('something else'));
    await reader.ended;
    expect(order).toHaveLength(10_001);
    expect(order.indexOf('something else')).toBeLessThan(1_000);
  });

  test('reads no further line while `pace` makes it wait', async () => {
    const stream = new PassThrough();
    const { lines, pace, resume } = pacedAfterOne();
    const reader = new LineReader(stream, { maxBytes: 100, line: text => lines.push(text), pace });
    stream.write('one\n');
    await new Promise(setImmediate);
    stream.end('two\n');
    await new Promise(setImmediate);
    expect(lines).toEqual(['one']);
    resume();
    await reader.ended;
    expect(lines).toEqual(['one', 'two']);
  });

  test('stops reading an idle pipe that another process holds open; time to handle lines is not idle', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
    const stream = new PassThrough();
    const { lines, pace, resume } = pacedAfterOne();
    const reader = new LineReader(stream, { maxBytes: 100, line: text => lines.push(text), pace });
    let isLeft = false;
    stream.write('one\n');
    const left = reader.leftRead(1_000).then(() => {
      isLeft = true;
    });
    await jest.advanceTimersByTimeAsync(60_000);
    stream.write('two\n');
    expect([isLeft, lines]).toEqual([false, ['one']]);
    resume();
    for (let n = 0; n < 1_000 && !isLeft; n += 1) await jest.advanceTimersByTimeAsync(100);
    expect(isLeft).toBe(true);
    await left;
    expect(lines).toEqual(['one', 'two']);
  });

  test('stops reading after the run, even if another process keeps writing to the pipe', async () => {
    const stream = new PassThrough();
    const reader = new LineReader(stream, { maxBytes: 100, line: () => {} });
    let isLeft = false;
    const left = reader.leftRead(5).then(() => {
      isLeft = true;
    });
    // Write pieces of the size in which a pipe delivers data.
    while (!isLeft) {
      if (!stream.write('x'.repeat(65_536))) await new Promise(setImmediate);
    }
    await left;
  });
});
