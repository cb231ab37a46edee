import { Select, type SelectProps } from '@mantine/core';
import type { ListParams } from './list-params.js';

interface ChoiceFilterProps {
  params: ListParams;
  /** Parameter in the address, such as `state`. */
  name: string;
  /** Shown while no choice is made, such as "All states". */
  label: string;
  choices: SelectProps['data'];
  /** Width in pixels, except on phones. */
  width: number;
}

/** A filter of a list that has a few fixed choices. */
export const ChoiceFilter = ({ params, name, label, choices, width }: ChoiceFilterProps) => (
  <Select
    w={{ base: '100%', sm: width }}
    clearable
    aria-label={label}
    placeholder={label}
    data={choices}
    value={params.get(name) || null}
    onChange={value => params.set({ [name]: value })}
  />
);
