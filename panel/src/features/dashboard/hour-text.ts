import { countText } from '@trawl/contracts';
import { durationText } from '../../components/values/duration-text.js';
import { type HourBar, PART_LABELS, PARTS } from './chart-bars.js';

const hourName = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const dayName = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' });

export const hourText = (hour: string): string => hourName.format(new Date(hour));

/** Describes the runs of an hour, such as `Sun 14:00: 2 ended: waited 1 s`. */
export const runsText = ({ hour, counts, total, waitMs }: HourBar): string =>
  [
    hourText(hour),
    total === 0
      ? 'no runs'
      : PARTS.flatMap(part => (counts[part] ? [`${counts[part]} ${PART_LABELS[part]}`] : [])).join(', '),
    ...(waitMs === null ? [] : [`waited ${durationText(waitMs)}`]),
  ].join(': ');

export const rowsText = ({ hour, rows }: HourBar): string => `${hourText(hour)}: ${countText(rows, 'row')}`;

/** Returns the bars that get a label below: each sixth hour of a day, else each midnight. */
export function labelsOf(bars: HourBar[]): { hour: string; left: number; text: string }[] {
  return bars.flatMap(({ hour }, index) => {
    const at = new Date(hour);
    const isLabelled = bars.length <= 24 ? at.getHours() % 6 === 0 : at.getHours() === 0;
    if (!isLabelled) return [];
    const text = bars.length <= 24 ? `${String(at.getHours()).padStart(2, '0')}:00` : dayName.format(at);
    return [{ hour, left: (index / bars.length) * 100, text }];
  });
}
