import { Checkbox, Select, SimpleGrid } from '@mantine/core';
import type { Reading } from './imports.js';

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'ndjson', label: 'NDJSON, a document a line' },
  { value: 'json', label: 'JSON list' },
];
const ENCODINGS = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'utf-16le', label: 'UTF-16 (little endian)' },
  { value: 'utf-16be', label: 'UTF-16 (big endian)' },
  { value: 'windows-1252', label: 'Windows 1252 (Western)' },
];
const DELIMITERS = [
  { value: 'comma', label: 'Comma ,' },
  { value: 'semicolon', label: 'Semicolon ;' },
  { value: 'tab', label: 'Tab' },
  { value: 'pipe', label: 'Pipe |' },
];
const DECIMAL_MARKS = [
  { value: 'point', label: 'Point 1234.5' },
  { value: 'comma', label: 'Comma 1234,5' },
];

interface ReadingFieldsProps {
  /** The user's choice. */
  reading: Reading;
  /** The user's choice or Trawl's guess; empty if Trawl cannot read the file. */
  effective: Reading;
  onChange: (reading: Reading) => void;
}

/** Says how to read the file. */
export function ReadingFields({ reading, effective, onChange }: ReadingFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
      <Select
        label="Format"
        data={FORMATS}
        allowDeselect={false}
        value={effective.format ?? null}
        onChange={value => onChange({ ...reading, format: value as Reading['format'], delimiter: undefined })}
      />
      <Select
        label="Encoding"
        data={ENCODINGS}
        allowDeselect={false}
        value={effective.encoding ?? null}
        onChange={value => onChange({ ...reading, encoding: value as Reading['encoding'] })}
      />
      {effective.format === 'csv' && (
        <Select
          label="Delimiter"
          data={DELIMITERS}
          allowDeselect={false}
          value={effective.delimiter ?? null}
          onChange={value => onChange({ ...reading, delimiter: value as Reading['delimiter'] })}
        />
      )}
      {effective.format === 'csv' && (
        <Select
          label="Decimal mark"
          data={DECIMAL_MARKS}
          allowDeselect={false}
          value={reading.decimal_mark ?? 'point'}
          onChange={value => onChange({ ...reading, decimal_mark: value as Reading['decimal_mark'] })}
        />
      )}
      {effective.format === 'csv' && (
        <Checkbox
          label="The first row has the names of the columns"
          checked={reading.header ?? true}
          onChange={event => onChange({ ...reading, header: event.currentTarget.checked })}
        />
      )}
    </SimpleGrid>
  );
}
