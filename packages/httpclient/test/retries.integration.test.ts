import { HttpClient } from '@trawl/httpclient';
import { retryAfterMs } from '../src/basic-client.js';
import { testServers } from './test-server.js';

const serve = testServers();
const BUSY = [429, 502, 503, 504];

/** Answers with these statuses in turn, then with 200, and counts the requests. */
async function busyServer(statuses: number[], headers: Record<string, string> = {}) {
  const counted = { requests: 0, url: '' };
  counted.url = await serve((_request, response) => {
    const status = statuses[counted.requests] ?? 200;
    counted.requests += 1;
    response.writeHead(status, status === 200 ? {} : headers).end('text');
  });
  return counted;
}

it.each(BUSY)('the client retries status %i if `retryStatuses` names it', async status => {
  const server = await busyServer([status, status]);
  const client = new HttpClient({ retryStatuses: BUSY, retryDelayMs: 1 });
  expect([(await client.html(server.url)).status, server.requests]).toEqual([200, 3]);
});

it('the client returns the last answer of the server when no retry is left, and retries no other status', async () => {
  const server = await busyServer([503, 503, 503]);
  const client = new HttpClient({ retryStatuses: BUSY, retries: 1, retryDelayMs: 1 });
  expect(await client.html(server.url)).toMatchObject({
    status: 503,
    statusMessage: 'Service Unavailable',
    content: 'text',
  });
  expect(server.requests).toBe(2);
  const broken = await busyServer([500]);
  expect([(await client.html(broken.url)).status, broken.requests]).toEqual([500, 1]);
});

it('by default the client retries no status, and with `retryStatuses` no POST', async () => {
  const [first, second] = [await busyServer([429]), await busyServer([429])];
  expect([(await new HttpClient().html(first.url)).status, first.requests]).toEqual([429, 1]);
  const client = new HttpClient({ retryStatuses: BUSY, retryDelayMs: 1 });
  expect([(await client.json(second.url, { method: 'POST', body: {} })).status, second.requests]).toEqual([429, 1]);
});

it('the client waits for Retry-After instead of `retryDelayMs`, and returns the answer if it asks for too long', async () => {
  // This delay would exceed the time of the test.
  const client = new HttpClient({ retryStatuses: BUSY, retryDelayMs: 2 ** 31 - 1 });
  const soon = await busyServer([429], { 'retry-after': '0' });
  expect([(await client.html(soon.url)).status, soon.requests]).toEqual([200, 2]);
  const late = await busyServer([429], { 'retry-after': '3600' });
  expect([(await client.html(late.url)).status, late.requests]).toEqual([429, 1]);
});

it.each([
  ['2', 2_000],
  ['60', 60_000],
  ['61', null],
  ['Thu, 01 Jan 1970 00:00:30 GMT', 29_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Fri, 02 Jan 1970 00:00:00 GMT', null],
  ['soon', 5],
])('Retry-After: %s means to wait %s ms', (value, expected) => {
  expect(retryAfterMs(value, 5, 1_000)).toBe(expected);
});

it('the client refuses a retry status below 400', () => {
  expect(() => new HttpClient({ retryStatuses: [200] })).toThrow(
    'retryStatuses must be an integer between 400 and 599',
  );
});
