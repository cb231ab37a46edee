import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';

const TYPING_PAUSE_MS = 300;

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** Search field. It calls `onChange` not for each letter, but when the user stops typing for a moment. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [reported, setReported] = useState(value);
  const [received, setReceived] = useState(value);
  const report = useDebouncedCallback((changed: string) => {
    setReported(changed);
    onChange(changed);
  }, TYPING_PAUSE_MS);
  if (value !== received) {
    setReceived(value);
    // Keep text that the user typed since the last report. Any other value comes from elsewhere, such as a button that
    // clears it.
    if (value !== reported) {
      setReported(value);
      setText(value);
    }
  }
  return (
    <TextInput
      className="grow"
      type="search"
      size="sm"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={event => {
        setText(event.currentTarget.value);
        report(event.currentTarget.value);
      }}
    />
  );
}
