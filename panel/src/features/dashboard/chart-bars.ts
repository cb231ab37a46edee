import type { RunHour } from '../../api/entities.js';

/** Parts of a bar, from the bottom up. */
export const PARTS = ['error', 'end', 'stop', 'live'] as const;
export type Part = (typeof PARTS)[number];

export const PART_LABELS: Record<Part, string> = {
  error: 'failed',
  end: 'completed',
  stop: 'stopped',
  live: 'in progress',
};

export interface HourBar {
  hour: string;
  counts: Record<Part, number>;
  total: number;
  rows: number;
  waitMs: number | null;
}

export const hourBars = (hours: readonly RunHour[]): HourBar[] =>
  hours.map(({ hour, start, pause, stop, end, error, rows, wait_ms_median: waitMs }) => ({
    hour,
    counts: { error, end, stop, live: start + pause },
    total: start + pause + stop + end + error,
    rows,
    waitMs,
  }));
