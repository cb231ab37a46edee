import { Select } from '@mantine/core';
import { ECHO_TYPES, type EchoType } from '@trawl/contracts';

interface EchoTypeSelectProps {
  value: EchoType | null;
  onChange: (type: EchoType | null) => void;
}

/** Filter for one type of echo. */
export const EchoTypeSelect = ({ value, onChange }: EchoTypeSelectProps) => (
  <Select
    w={132}
    size="sm"
    aria-label="Type of echo"
    placeholder="All types"
    clearable
    data={[...ECHO_TYPES]}
    value={value}
    onChange={type => onChange(type as EchoType | null)}
  />
);
