import { chromiumReleasedAt, isChromiumOld } from './chromium-age.js';

// The days on which these versions were released.
it.each([
  ['143.0.7499.40', '2025-12-02'],
  ['153.0.7900.10', '2026-09-08'],
  ['155.0.8000.1', '2026-10-06'],
  ['156.0.8078.79', '2026-10-20'],
])('chromiumReleasedAt returns the day on which Chromium %s was released', (version, day) => {
  expect(chromiumReleasedAt(version)?.toISOString().slice(0, 10)).toBe(day);
});

it('isChromiumOld is true from day 61 after the release, and false for unknown versions', () => {
  const released = Date.UTC(2026, 8, 8);
  const after = (days: number) => isChromiumOld('153.0.1.2', released + days * 86_400_000);
  expect([after(-5), after(60), after(61)]).toEqual([false, false, true]);
  expect(isChromiumOld('unknown')).toBe(false);
});
