import { EventEmitter } from 'node:events';
import type { EchoMessage } from './echo.js';
import { Echoer, OlderEcho } from './older-echo.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let sent: [string, string][];
let emitter: EventEmitter;

beforeEach(() => {
  sent = [];
  emitter = new EventEmitter();
  emitter.on('echo', ({ type, msg }: EchoMessage) => sent.push([type, msg]));
  Object.assign(globalThis, { trawl: { eventEmitter: emitter } });
});

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'trawl');
});

test('the older Echo sends one echo for each call, and emits `echo-event` with its sender', async () => {
  const emitted: unknown[] = [];
  emitter.on('echo-event', message => emitted.push(message));
  const echo = new OlderEcho(true, 0, emitter, 1000, 'shop');
  const error = new Error('broken');
  await echo.log('100%d', { page: 1 }, true, null, undefined, 7);
  await echo.log();
  await echo.warn('slow', [1]);
  await echo.error(error);
  await echo.error('text');
  await echo.objekt({ a: [1n] });
  await echo.image(PNG);
  expect(sent).toEqual([
    ['log', '100%d {"page":1} true null undefined 7'],
    ['log', ''],
    ['warn', 'slow [1]'],
    ['error', error.stack],
    ['error', 'text'],
    ['objekt', '{"a":["1n"]}'],
    ['image', `data:image/png;base64,${PNG}`],
  ]);
  expect(emitted.map(message => (message as { msg: unknown }).msg)).toEqual([
    '100%d {"page":1} true null undefined 7',
    '',
    'slow [1]',
    { message: 'broken', stack: error.stack },
    { message: 'text', stack: expect.stringMatching(/^Error: text\n/) },
    { a: [1n] },
    PNG,
  ]);
  expect(emitted[2]).toEqual({ who: 'shop', msg: 'slow [1]', method: 'warn', time: expect.stringMatching(/T.*Z$/) });
  expect(echo.allEchoes).toEqual(emitted);
});

test('Echoer emits the event `echoer` instead of `echo-event`', async () => {
  const events: string[] = [];
  for (const event of ['echo-event', 'echoer']) emitter.on(event, () => events.push(event));
  await new Echoer(true, 0, emitter).log('a');
  expect([events, sent]).toEqual([['echoer'], [['log', 'a']]]);
});

test('Echoer writes undefined as no text', async () => {
  await new Echoer(true, 0, emitter).log('a', undefined, null);
  expect(sent).toEqual([['log', 'a  null']]);
});

test('the older Echo has the internal methods that skripts call and replace', async () => {
  class Loud extends OlderEcho {
    override _toString(value: unknown): string {
      return String(super._toString(value)).toUpperCase();
    }
  }
  const emitted: unknown[] = [];
  emitter.on('echo-event', message => emitted.push(message));
  const echo = new Loud(true, 0, emitter, 1000, 'shop');
  expect([true, { a: 1 }, 7, undefined].map(value => echo._toString(value))).toEqual([
    'TRUE',
    '{"A":1}',
    '7',
    'UNDEFINED',
  ]);
  await echo.log('a', { b: 1 });
  const message = await echo._process('warn', 'slow');
  expect(message).toEqual({ who: 'shop', msg: 'slow', method: 'warn', time: expect.any(String) });
  echo._log_console({ ...message, method: 'error', msg: { message: 'm', stack: 'Error: m\n    at x' } });
  echo._log_event({ ...message, msg: 'again' });
  expect(sent).toEqual([
    ['log', 'A {"B":1}'],
    ['warn', 'slow'],
    ['error', 'Error: m\n    at x'],
  ]);
  expect(emitted).toHaveLength(3);
});

test('the older Echo works without arguments, and keeps the latest 100 echoes', () => {
  const echo = new OlderEcho();
  expect(echo).toMatchObject({ short: true, delay: 100, answerTimeout: 30_000, who: '' });
  echo.delay = 0;
  for (let n = 1; n <= 120; n += 1) void echo.log(n);
  expect(echo.allEchoes.map(({ msg }) => msg)).toEqual(Array.from({ length: 100 }, (_, at) => `${at + 21}`));
  expect(sent).toHaveLength(120);
});

test('the older Echo warns about an image that cannot be shown, instead of ending the run', async () => {
  await new OlderEcho(true, 0, emitter).image('https://example.com/a.png');
  expect(sent).toEqual([['warn', expect.stringContaining('the text is not base64')]]);
});

describe('question of the older Echo', () => {
  test('resolves to the first answer with the same sender and question', async () => {
    const answer = new OlderEcho(true, 0, emitter, 60_000, 'shop').question('Which page?');
    emitter.emit('echo-answer', 'other', 'Which page?', 1);
    emitter.emit('echo-answer', 'shop', 'Another?', 2);
    emitter.emit('echo-answer', 'shop', 'Which page?', 3);
    await expect(answer).resolves.toBe(3);
    expect(sent).toEqual([['log', 'Which page?']]);
    expect(emitter.listenerCount('echo-answer')).toBe(0);
  });

  test('rejects if no answer arrives within the timeout', async () => {
    const answer = new OlderEcho(true, 0, emitter, 1).question('Which page?');
    await expect(answer).rejects.toThrow("No answer for 'Which page?' within 1ms");
    expect(emitter.listenerCount('echo-answer')).toBe(0);
  });
});

test('the older Echo resolves a call after its configured delay', async () => {
  jest.useFakeTimers();
  try {
    let resolved = false;
    void new OlderEcho(true, 250, emitter).log('a').then(() => {
      resolved = true;
    });
    await jest.advanceTimersByTimeAsync(249);
    expect(resolved).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(resolved).toBe(true);
  } finally {
    jest.useRealTimers();
  }
});
