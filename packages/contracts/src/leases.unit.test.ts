import { KILL_MS, LEASE_MS, leaseTimes, MAX_LEASE_MS, MIN_LEASE_MS } from './leases.js';

const LEASES = [MIN_LEASE_MS, 3_000, 5_000, LEASE_MS, 60_000, MAX_LEASE_MS];

it('leaseTimes returns the default times for the default lease', () => {
  expect(leaseTimes(LEASE_MS)).toEqual({
    leaseMs: 12_000,
    silenceMs: 10_000,
    heartbeatMs: 3_000,
    helloMs: 5_000,
    sweepMs: 1_000,
  });
});

it.each(LEASES)('a worker kills a silent run before another worker may retry it, with a lease of %d ms', leaseMs => {
  expect(leaseTimes(leaseMs).silenceMs + KILL_MS).toBeLessThanOrEqual(leaseMs);
});

it.each(LEASES)(
  'a single lost heartbeat ends neither the lease nor the silence limit, with a lease of %d ms',
  leaseMs => {
    const { heartbeatMs, silenceMs } = leaseTimes(leaseMs);
    expect(2 * heartbeatMs).toBeLessThan(silenceMs);
  },
);

it.each(LEASES)(
  'a worker can send a second hello within the silence limit if the first is lost, with a lease of %d ms',
  leaseMs => {
    const { helloMs, silenceMs } = leaseTimes(leaseMs);
    expect(2 * helloMs).toBeLessThanOrEqual(silenceMs);
  },
);
