import type { LatestRun } from '../../api/entities.js';
import { stripBars, stripWords } from './strip-bars.js';

const run = (id: string, action: string, seconds: number | null) =>
  ({
    id,
    action,
    started_at: '2026-11-22T10:00:00.000Z',
    ended_at: seconds === null ? null : new Date(Date.parse('2026-11-22T10:00:00Z') + seconds * 1000).toISOString(),
  }) as LatestRun;

it('the strip of latest runs draws the oldest first and the longest tallest, and names how each ended', () => {
  const now = Date.parse('2026-11-22T10:00:05Z');
  const bars = stripBars([run('c', 'start', null), run('b', 'error', 10), run('a', 'end', 0)], now);
  expect(bars.map(({ id, height, words }) => [id, height, words])).toEqual([
    ['a', 4, 'completed after 0 s'],
    ['b', 19, 'failed after 10 s'],
    ['c', 11.5, 'in progress'],
  ]);
  expect(stripWords(bars)).toBe('Last 3 runs: 1 completed, 1 failed, 1 in progress');
});

it('the strip of latest runs names broken and unusual rows, and marks the broken ones', () => {
  const judged = (id: string, verdict_level: LatestRun['verdict_level']) => ({ ...run(id, 'end', 1), verdict_level });
  const bars = stripBars([judged('c', 'ok'), judged('b', 'unusual'), judged('a', 'broken')]);
  expect(bars.map(({ isBroken, words }) => [isBroken, words])).toEqual([
    [true, 'completed after 1 s, rows broken'],
    [false, 'completed after 1 s, rows unusual'],
    [false, 'completed after 1 s'],
  ]);
  expect(stripWords(bars)).toBe('Last 3 runs: 1 completed with broken rows, 2 completed');
});

it('the strip of latest runs shows at most 40 runs, and says when there are none', () => {
  const many = Array.from({ length: 60 }, (_, index) => run(String(index), 'end', 1));
  expect(stripBars(many)).toHaveLength(40);
  expect(stripWords(stripBars([]))).toBe('No runs yet');
});
