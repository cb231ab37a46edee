import { KILL_MS, LEASE_MS, leaseTimes, MAX_LEASE_MS, MIN_LEASE_MS } from './leases.js';

const LEASES = [MIN_LEASE_MS, 3_000, 5_000, LEASE_MS, 60_000, MAX_LEASE_MS];

it('has the default times', () => {
  expect(leaseTimes(LEASE_MS)).toEqual({
    leaseMs: 12_000,
    silenceMs: 10_000,
    heartbeatMs: 3_000,
    helloMs: 5_000,
    sweepMs: 1_000,
  });
});

it.each(LEASES)('a worker ends a run before another worker may retry it, with a lease of %d ms', leaseMs => {
  expect(leaseTimes(leaseMs).silenceMs + KILL_MS).toBeLessThanOrEqual(leaseMs);
});

it.each(LEASES)('neither lease nor silence runs out over a lost heartbeat, with a lease of %d ms', leaseMs => {
  const { heartbeatMs, silenceMs } = leaseTimes(leaseMs);
  expect(2 * heartbeatMs).toBeLessThan(silenceMs);
});

it.each(LEASES)('a lost hello leaves time for a second one, with a lease of %d ms', leaseMs => {
  const { helloMs, silenceMs } = leaseTimes(leaseMs);
  expect(2 * helloMs).toBeLessThanOrEqual(silenceMs);
});
