import { LEASE_MS } from '@trawl/contracts';
import { type Clocks, SweepGuard } from './sweep-guard.js';

/** Sweeps once a second. Returns the result of the last sweep. */
function sweepFor(guard: SweepGuard, from: Clocks, seconds: number): { allowed: boolean; now: Clocks } {
  let [now, allowed] = [from, guard.allows(from)];
  for (let second = 0; second < seconds; second++) {
    now = { database: now.database + 1_000, process: now.process + 1_000 };
    allowed = guard.allows(now);
  }
  return { allowed, now };
}

const START: Clocks = { database: 1_000_000, process: 50_000 };
const LEASE_SECONDS = LEASE_MS / 1_000;

it('the lease sweep declares no worker lost until the backend has been up for one lease', () => {
  expect(sweepFor(new SweepGuard(LEASE_MS), START, LEASE_SECONDS - 1).allowed).toBe(false);
  expect(sweepFor(new SweepGuard(LEASE_MS), START, LEASE_SECONDS).allowed).toBe(true);
});

it('the lease sweep waits one more lease after the process or the database was stalled', () => {
  const guard = new SweepGuard(LEASE_MS);
  const { now } = sweepFor(guard, START, 60);
  const after = { database: now.database + 14_000, process: now.process + 14_000 };
  expect(guard.allows(after)).toBe(false);
  const next = { database: after.database + 1_000, process: after.process + 1_000 };
  expect(sweepFor(guard, next, LEASE_SECONDS - 2).allowed).toBe(false);
});

it('the lease sweep skips one round after the database’s clock jumped', () => {
  const guard = new SweepGuard(LEASE_MS);
  const { now } = sweepFor(guard, START, 60);
  const jumped = { database: now.database + 31_000, process: now.process + 1_000 };
  expect(guard.allows(jumped)).toBe(false);
  expect(guard.allows({ database: jumped.database + 1_000, process: jumped.process + 1_000 })).toBe(true);
});
