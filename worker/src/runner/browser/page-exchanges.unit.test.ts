import { EXCHANGE_LIMITS } from '@trawl/contracts';
import { ExchangeCapture } from '../exchanges/exchange-capture.js';
import { LastExchanges } from '../exchanges/last-exchanges.js';
import { PageExchanges } from './page-exchanges.js';

test('a page body is asked for up to a size, and one that is missing counts as cut', async () => {
  const last = new LastExchanges();
  const capture = new ExchangeCapture();
  capture.add(last);
  capture.start();
  const asked: string[] = [];
  const pages = new PageExchanges(
    start => capture.begin(start),
    async (_method, params) => {
      const { requestId } = params as { requestId: string };
      asked.push(requestId);
      if (requestId === 'evicted') throw new Error('Request content was evicted from inspector cache');
      return { body: 'text', base64Encoded: false };
    },
  );
  const event = (name: string, params: object) => pages.event(JSON.stringify({ method: `Network.${name}`, params }));
  const sizes = { small: 4, evicted: 90_000, large: EXCHANGE_LIMITS.runBytes + 1 };
  for (const [requestId, encodedDataLength] of Object.entries(sizes)) {
    const request = { url: `https://books.example/${requestId}`, method: 'GET', headers: {} };
    event('requestWillBeSent', { requestId, type: 'Fetch', request });
    event('responseReceived', { requestId, response: { status: 200, statusText: 'OK', headers: {} } });
    event('loadingFinished', { requestId, encodedDataLength });
  }
  await new Promise(resolve => setImmediate(resolve));
  expect(asked).toEqual(['small', 'evicted']);
  const seen = last.take().map(({ body, body_bytes, is_cut }) => [Buffer.from(body).toString(), body_bytes, is_cut]);
  expect(seen).toEqual([
    ['text', 4, false],
    ['', 90_000, true],
    ['', EXCHANGE_LIMITS.runBytes + 1, true],
  ]);
});
