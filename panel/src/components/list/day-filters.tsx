import { TextInput } from '@mantine/core';
import { dayAfter, startOfDay } from './days.js';
import type { ListParams } from './list-params.js';

const DAYS = [
  { name: 'from', label: 'From' },
  { name: 'to', label: 'To' },
];

/** Two filter fields, for the first and the last day. Both days are included and are in the user's time zone. */
export const DayFilters = ({ params }: { params: ListParams }) =>
  DAYS.map(({ name, label }) => (
    <TextInput
      key={name}
      className="day-filter"
      size="sm"
      type="date"
      label={label}
      value={params.get(name)}
      onChange={event => params.set({ [name]: event.currentTarget.value })}
    />
  ));

/** Returns the chosen days as ISO times: the start of the first day, and the start of the day after the last. */
export const chosenDays = (params: ListParams): { from: string | undefined; to: string | undefined } => ({
  from: startOfDay(params.get('from')),
  to: startOfDay(dayAfter(params.get('to'))),
});
