import type { Grouped } from '../../../api/entities.js';
import type { GroupSettings } from '../../../components/group/group-settings.js';
import { cellText } from '../document-columns.js';

export const MEASURES = { count: 'Count', average: 'Average', sum: 'Sum', min: 'Lowest', max: 'Highest' } as const;
export type Measure = keyof typeof MEASURES;

/** The most bars that a chart has. Those of further groups would be too narrow, so only the table has them. */
const MAX_BARS = { time: 400, values: 40 };

const LOCALE = 'en-GB';
const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const NAMES = {
  hour: new Intl.DateTimeFormat(LOCALE, { ...DAY, hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat(LOCALE, DAY),
  month: new Intl.DateTimeFormat(LOCALE, { month: 'short', year: 'numeric' }),
};

/** Returns the name of a group: its value, or the hour, day or month. */
export function groupName(group: unknown, every: GroupSettings['every']): string {
  if (group === null || group === undefined) return every === '' ? 'no value' : 'no time';
  if (every === '' || typeof group !== 'string') return cellText(group) || 'empty text';
  const at = new Date(group);
  return Number.isNaN(at.getTime()) ? group : NAMES[every].format(at);
}

export interface GroupBar {
  key: string;
  name: string;
  value: number;
}

/** Returns the bars of a chart: the largest groups, or all periods from the first to the last, also those without documents. */
export function groupBars(groups: readonly Grouped[], every: GroupSettings['every'], measure: Measure): GroupBar[] {
  const figureOf = (grouped: Grouped) => grouped[measure] ?? 0;
  if (every === '') {
    return groups.slice(0, MAX_BARS.values).map((grouped, index) => ({
      key: String(index),
      name: groupName(grouped.group, every),
      value: figureOf(grouped),
    }));
  }
  const values = new Map(
    groups.flatMap(grouped => {
      const at = typeof grouped.group === 'string' ? Date.parse(grouped.group) : Number.NaN;
      return Number.isNaN(at) ? [] : [[at, figureOf(grouped)] as const];
    }),
  );
  const first = Math.min(...values.keys());
  const bars: GroupBar[] = [];
  for (let at = Math.max(...values.keys()); at >= first && bars.length < MAX_BARS.time; at = before(at, every)) {
    bars.unshift({ key: String(at), name: NAMES[every].format(at), value: values.get(at) ?? 0 });
  }
  return bars;
}

/** Returns what the chart leaves out; '' if it shows all. */
export function chartNote(
  groups: readonly Grouped[],
  every: GroupSettings['every'],
  bars: readonly GroupBar[],
): string {
  const hidden = bars.some(({ value }) => value < 0) ? ['Values below 0 have no bar.'] : [];
  const first = Number(bars[0]?.key);
  const isShort =
    every === ''
      ? groups.length > bars.length
      : groups.some(({ group }) => typeof group === 'string' && Date.parse(group) < first);
  if (isShort) hidden.unshift(`The chart shows the ${every === '' ? 'largest' : 'last'} ${bars.length} of them.`);
  return hidden.length === 0 ? '' : `${hidden.join(' ')} The table has all figures.`;
}

/** Returns the beginning of the period before, on the clocks of this browser. */
function before(time: number, every: Exclude<GroupSettings['every'], ''>): number {
  const at = new Date(time);
  if (every === 'hour') return time - 3_600_000;
  if (every === 'day') at.setDate(at.getDate() - 1);
  else at.setMonth(at.getMonth() - 1);
  return at.getTime();
}
