import { defaultWaitMs } from './start-options.js';

it('waits as long as the skript says, and at most a minute', () => {
  expect(defaultWaitMs({ workerResponseTimeoutMs: 5_000 })).toBe(5_000);
  expect(defaultWaitMs({ workerResponseTimeoutMs: 180_000 })).toBe(60_000);
});
