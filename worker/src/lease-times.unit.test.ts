import { HEARTBEAT_MS, LEASE_MS, SILENCE_MS } from '@trawl/contracts';

/** What a worker needs at most to end a run's processes. */
const ENDING_MS = 1_000;

it('a silent platform makes a worker end a run before another may have it', () => {
  expect(SILENCE_MS + ENDING_MS).toBeLessThan(LEASE_MS);
});

it('neither the lease nor the silence is over for a beat that is lost', () => {
  expect(2 * HEARTBEAT_MS).toBeLessThan(SILENCE_MS);
});
