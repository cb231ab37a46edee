import { TextInput } from '@mantine/core';
import { dayAfter, startOfDay } from './days.js';
import type { ListParams } from './list-params.js';

const DAYS = [
  { name: 'from', label: 'From' },
  { name: 'to', label: 'To' },
];

/** From which day to which, both included and of the reader's own zone. */
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

/** The chosen days as two moments, the second of which is the first one no longer meant. */
export const chosenDays = (params: ListParams): { from: string | undefined; to: string | undefined } => ({
  from: startOfDay(params.get('from')),
  to: startOfDay(dayAfter(params.get('to'))),
});
