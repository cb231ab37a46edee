import { PassThrough } from 'node:stream';
import type { Request } from 'express';
import { limitBodyTime } from './body-time.js';
import { chunksOf } from './file-body.js';

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

const MINUTE_MS = 60_000;

/** A request with a body, and whether its connection was cut. */
function requestWithBody() {
  const socket = { isCut: false, write: () => undefined, destroySoon: () => undefined };
  socket.destroySoon = () => {
    socket.isCut = true;
  };
  const body = new PassThrough();
  const request = Object.assign(body, { headers: { 'transfer-encoding': 'chunked' }, socket }) as unknown as Request;
  limitBodyTime(request, undefined as never, () => undefined);
  return { body, request, socket };
}

it('an uploaded file that keeps arriving may take longer than other request bodies', async () => {
  const { body, request, socket } = requestWithBody();
  const chunks = chunksOf(request);
  for (let minute = 0; minute < 10; minute += 1) {
    const next = chunks.next();
    jest.advanceTimersByTime(MINUTE_MS - 1);
    body.write(Buffer.alloc(64 * 1024));
    expect((await next).value).toHaveLength(64 * 1024);
  }
  body.end();
  expect((await chunks.next()).done).toBe(true);
  expect(socket.isCut).toBe(false);
});

it('an upload that arrives too slowly is refused, and cut off after the client could read the error', async () => {
  const { body, request } = requestWithBody();
  const chunks = chunksOf(request);
  const first = chunks.next();
  jest.advanceTimersByTime(MINUTE_MS / 2);
  body.write('x');
  await first;
  // The time in which the route does not read does not count.
  jest.advanceTimersByTime(10 * MINUTE_MS);
  const second = chunks.next();
  expect(body.destroyed).toBe(false);
  jest.advanceTimersByTime(MINUTE_MS / 2);
  await expect(second).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('too slowly') });
  expect(body.destroyed).toBe(false);
  jest.advanceTimersByTime(10_000);
  expect(body.destroyed).toBe(true);
});

it('an upload that its route refuses is cut off after the client could read the error', async () => {
  const { body, request } = requestWithBody();
  body.write('x');
  for await (const chunk of chunksOf(request)) if (chunk.length === 1) break;
  expect(body.destroyed).toBe(false);
  jest.advanceTimersByTime(10_000);
  expect(body.destroyed).toBe(true);
});

it('a request body that is not an upload must arrive within five minutes', () => {
  const { socket } = requestWithBody();
  jest.advanceTimersByTime(5 * MINUTE_MS);
  expect(socket.isCut).toBe(true);
});
