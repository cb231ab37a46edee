import { EventEmitter } from 'node:events';
import { Echo, type EchoMessage, echo } from './index.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('echo inside a run', () => {
  let sent: EchoMessage[];

  beforeEach(() => {
    sent = [];
    const eventEmitter = new EventEmitter();
    eventEmitter.on('echo', message => sent.push(message));
    Object.assign(globalThis, { trawl: { eventEmitter } });
  });

  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'trawl');
  });

  const last = () => sent.at(-1)?.msg ?? '';

  test('log, warn and error format values as console.log does, and send an ISO time', () => {
    echo.log('%d books from', 20, { page: 1 });
    echo.warn('slow');
    new Echo().error('broken');
    expect(sent.map(({ type, msg }) => [type, msg])).toEqual([
      ['log', '20 books from { page: 1 }'],
      ['warn', 'slow'],
      ['error', 'broken'],
    ]);
    for (const { time } of sent) expect(new Date(time).toISOString()).toBe(time);
  });

  test('each message has the time at which it was sent', () => {
    jest.useFakeTimers();
    const times = ['2026-02-15T09:30:00.000Z', '2026-02-15T09:30:00.000Z', '2026-02-15T09:30:00.001Z'];
    for (const time of times) {
      jest.setSystemTime(new Date(time));
      echo.log('text');
    }
    jest.useRealTimers();
    expect(sent.map(({ time }) => time)).toEqual(times);
  });

  test('objekt sends any value as JSON text, even a circular or unsupported one', () => {
    const loop: Record<string, unknown> = { name: 'a' };
    loop.self = loop;
    const shared = { price: 3 };
    echo.objekt({ loop, big: 12n, list: [shared, shared], when: new Date(0), fn: last, set: new Set([1]) });
    expect(JSON.parse(last())).toEqual({
      loop: { name: 'a', self: '[Circular]' },
      big: '12n',
      list: [{ price: 3 }, { price: 3 }],
      when: '1970-01-01T00:00:00.000Z',
      fn: '[Function: last]',
      set: [1],
    });
    echo.objekt(undefined);
    expect(last()).toBe('null');
    echo.objekt({
      toJSON() {
        throw new Error('no');
      },
    });
    expect(JSON.parse(last())).toBe('[Not writable as JSON: no]');
  });

  test('image accepts bytes, base64 and data URLs, and detects the image type from the bytes', () => {
    const address = `data:image/png;base64,${PNG.toString('base64')}`;
    for (const image of [PNG, new Uint8Array(PNG), PNG.toString('base64'), address, address.replace('png', 'gif')]) {
      echo.image(image);
      expect(last()).toBe(address);
    }
  });

  test('progress and table send plain text', () => {
    echo.progress(3, 10, 'Pages');
    echo.progress(0.5, 1);
    echo.progress(7, undefined, 'Books');
    echo.table([{ title: 'A book', price: 12.5 }]);
    expect(sent.map(({ type, msg }) => [type, msg])).toEqual([
      ['progress', 'Pages: 3 of 10'],
      ['progress', '0.5 of 1'],
      ['progress', 'Books: 7'],
      ['table', 'title  │ price\n───────┼──────\nA book │ 12.5'],
    ]);
  });

  test.each([
    ['an SVG', Buffer.from('<svg onload="alert(1)"/>')],
    ['a data URL of HTML', 'data:text/html;base64,PGI+'],
    ['text that is not base64', 'https://example.com/a.png'],
    ['a number', 7 as unknown as string],
  ])('image rejects %s and names the accepted forms', (_name, image) => {
    expect(() => echo.image(image)).toThrow(/expected a Buffer, Uint8Array, base64 text or data: URL/);
    expect(sent).toEqual([]);
  });
});

test('echo writes to the console outside a run', () => {
  const log = jest.spyOn(console, 'log').mockImplementation(() => {});
  echo.log('hello');
  echo.image(PNG);
  expect(log.mock.calls[0]).toEqual(['hello']);
  expect(log.mock.calls[1]?.[0]).toMatch(/^\[image, \d+ characters\]$/);
  log.mockRestore();
});
