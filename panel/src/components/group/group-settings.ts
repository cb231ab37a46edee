import type { GroupPeriod } from '../../api/entities.js';

/** How to group documents or rows. */
export interface GroupSettings {
  /** Field or column to group by. */
  by: string;
  /** Empty for a group for each value. */
  every: GroupPeriod | '';
  /** Field or column of numbers to add up; empty for none. */
  of: string;
}

const PERIODS = ['hour', 'day', 'month'] as const satisfies GroupPeriod[];

/** The zone in which this browser shows times. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Reads the settings from the address; null if there are none. */
export function groupSettingsFrom(address: (name: string) => string): GroupSettings | null {
  const by = address('by');
  if (by === '') return null;
  return { by, every: PERIODS.find(period => period === address('every')) ?? '', of: address('of') };
}

/** Returns the settings as the API takes them. */
export const groupBody = ({ by, every, of }: GroupSettings, time_zone = ownTimeZone()) => ({
  by,
  ...(every === '' ? {} : { every }),
  ...(of === '' ? {} : { of }),
  time_zone,
});
