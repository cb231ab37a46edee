import { defaultWaitMs } from './start-options.js';

it('the default wait of a start is the skript’s worker_response_timeout, but at most a minute', () => {
  expect(defaultWaitMs({ workerResponseTimeoutMs: 5_000 })).toBe(5_000);
  expect(defaultWaitMs({ workerResponseTimeoutMs: 180_000 })).toBe(60_000);
});
