import { isLive } from '@trawl/contracts';
import type { LatestRun } from '../../api/entities.js';
import { durationText } from '../values/duration-text.js';
import { ACTION_LABELS } from '../values/status.js';
import { durationMs } from './duration-ms.js';

export const STRIP_HEIGHT = 24;
/** Number of bars that fit into a strip. */
export const STRIP_BARS = 40;
const LEAST_HEIGHT = 4;
/** Height that is left for the mark above the bar of an error. */
const TOP = 5;

export interface StripBar {
  id: string;
  action: LatestRun['action'];
  height: number;
  /** Whether the rows of the run are broken. */
  isBroken: boolean;
  /** Such as `failed after 1.2 s`. */
  words: string;
}

/** Returns a bar for each run, the oldest first. The longest run has the tallest bar. */
export function stripBars(runs: readonly LatestRun[], now = Date.now()): StripBar[] {
  const longest = Math.max(1, ...runs.map(run => durationMs(run, now) ?? 0));
  return runs
    .slice(0, STRIP_BARS)
    .reverse()
    .map(run => {
      const ms = durationMs(run, now) ?? 0;
      const height = LEAST_HEIGHT + (ms / longest) * (STRIP_HEIGHT - TOP - LEAST_HEIGHT);
      const { verdict_level: level } = run;
      const isBroken = level === 'broken';
      const rows = isBroken || level === 'unusual' ? `, rows ${level}` : '';
      const words = isLive(run.action)
        ? 'in progress'
        : `${ACTION_LABELS[run.action]} after ${durationText(ms)}${rows}`;
      return { id: run.id, action: run.action, isBroken, height, words };
    });
}

/** Returns a strip in words, such as `Last 12 runs: 9 completed, 2 failed, 1 in progress`. */
export function stripWords(bars: readonly StripBar[]): string {
  if (bars.length === 0) return 'No runs yet';
  const counts = new Map<string, number>();
  for (const { action, isBroken } of bars) {
    const name = isLive(action) ? 'in progress' : `${ACTION_LABELS[action]}${isBroken ? ' with broken rows' : ''}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const parts = [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
  return `Last ${bars.length === 1 ? 'run' : `${bars.length} runs`}: ${parts}`;
}
