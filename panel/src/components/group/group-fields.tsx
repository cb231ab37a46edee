import '../../styles/group.css';
import { Autocomplete, type AutocompleteProps, Select } from '@mantine/core';
import { useState } from 'react';
import type { GroupSettings } from './group-settings.js';

const EVERY = [
  { value: '', label: 'Each value' },
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'month', label: 'Month' },
];

const ALL_OPTIONS: AutocompleteProps['filter'] = ({ options }) => options;

interface FieldNameProps {
  label: string;
  placeholder?: string;
  value: string;
  fields: readonly string[];
  error?: string | null;
  onChange: (name: string) => void;
}

/** Takes the name of a field when the user chooses or has typed it. */
function FieldName({ value, fields, onChange, ...props }: FieldNameProps) {
  const [text, setText] = useState(value);
  const [received, setReceived] = useState(value);
  if (value !== received) {
    setReceived(value);
    setText(value);
  }
  const take = (name: string) => {
    if (name.trim() !== value) onChange(name.trim());
  };
  return (
    <Autocomplete
      size="sm"
      {...props}
      data={[...new Set(fields)]}
      // Until the user types, the text is the present choice, and not a search for another one.
      {...(text === value && { filter: ALL_OPTIONS })}
      value={text}
      onChange={setText}
      onOptionSubmit={take}
      onBlur={() => take(text)}
      onKeyDown={event => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        take(text);
      }}
    />
  );
}

interface GroupFieldsProps {
  settings: GroupSettings;
  /** Names to suggest. */
  fields: readonly string[];
  onChange: (settings: GroupSettings) => void;
  byError?: string | null;
}

/** Says how to group documents or rows. */
export function GroupFields({ settings, fields, onChange, byError }: GroupFieldsProps) {
  return (
    <div className="group-fields">
      <FieldName
        label="Group by"
        placeholder="price"
        value={settings.by}
        fields={fields}
        error={byError}
        // Few fields are times. Of all others, a period would leave one group without a time.
        onChange={by => onChange({ ...settings, by, every: '' })}
      />
      <Select
        size="sm"
        label="For each"
        data={EVERY}
        allowDeselect={false}
        value={settings.every}
        onChange={every => onChange({ ...settings, every: (every ?? '') as GroupSettings['every'] })}
      />
      <FieldName
        label="Numbers of"
        placeholder="none"
        value={settings.of}
        fields={fields}
        onChange={of => onChange({ ...settings, of })}
      />
    </div>
  );
}
