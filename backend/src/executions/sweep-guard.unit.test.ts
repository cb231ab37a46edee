import { LEASE_MS } from '@trawl/contracts';
import { type Clocks, SweepGuard } from './sweep-guard.js';

/** Asks once a second, like the sweep does; answers what the last of `seconds` said. */
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

it('a backend that was just started takes no worker for lost until one lease has passed', () => {
  expect(sweepFor(new SweepGuard(), START, LEASE_SECONDS - 1).allowed).toBe(false);
  expect(sweepFor(new SweepGuard(), START, LEASE_SECONDS).allowed).toBe(true);
});

it('nor does one that was held up, by itself or by its database', () => {
  const guard = new SweepGuard();
  const { now } = sweepFor(guard, START, 60);
  const after = { database: now.database + 14_000, process: now.process + 14_000 };
  expect(guard.allows(after)).toBe(false);
  const next = { database: after.database + 1_000, process: after.process + 1_000 };
  expect(sweepFor(guard, next, LEASE_SECONDS - 2).allowed).toBe(false);
});

it('a jump of the database’s clock skips a sweep', () => {
  const guard = new SweepGuard();
  const { now } = sweepFor(guard, START, 60);
  const jumped = { database: now.database + 31_000, process: now.process + 1_000 };
  expect(guard.allows(jumped)).toBe(false);
  expect(guard.allows({ database: jumped.database + 1_000, process: jumped.process + 1_000 })).toBe(true);
});
