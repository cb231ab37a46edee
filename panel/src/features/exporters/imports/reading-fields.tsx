import { Checkbox, NumberInput, Select, SimpleGrid } from '@mantine/core';
import { countText } from '@trawl/contracts';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import type { Reading } from './imports.js';

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'ndjson', label: 'NDJSON, a document a line' },
  { value: 'extjson', label: 'Extended JSON of MongoDB' },
  { value: 'json', label: 'JSON list' },
  { value: 'xlsx', label: 'Excel workbook (XLSX)' },
  { value: 'parquet', label: 'Parquet' },
];
const ENCODINGS = [
  {
    group: 'Unicode',
    items: [
      { value: 'utf-8', label: 'UTF-8' },
      { value: 'utf-16le', label: 'UTF-16 (little endian)' },
      { value: 'utf-16be', label: 'UTF-16 (big endian)' },
    ],
  },
  {
    group: 'Windows',
    items: [
      { value: 'windows-1250', label: 'Windows 1250 (Central European)' },
      { value: 'windows-1251', label: 'Windows 1251 (Cyrillic)' },
      { value: 'windows-1252', label: 'Windows 1252 (Western)' },
      { value: 'windows-1253', label: 'Windows 1253 (Greek)' },
      { value: 'windows-1254', label: 'Windows 1254 (Turkish)' },
      { value: 'windows-1255', label: 'Windows 1255 (Hebrew)' },
      { value: 'windows-1256', label: 'Windows 1256 (Arabic)' },
      { value: 'windows-1257', label: 'Windows 1257 (Baltic)' },
      { value: 'windows-1258', label: 'Windows 1258 (Vietnamese)' },
      { value: 'windows-874', label: 'Windows 874 (Thai)' },
    ],
  },
  {
    group: 'East Asian',
    items: [
      { value: 'gb18030', label: 'GB 18030 (Chinese)' },
      { value: 'big5', label: 'Big5 (Chinese)' },
      { value: 'shift_jis', label: 'Shift JIS (Japanese)' },
      { value: 'euc-jp', label: 'EUC-JP (Japanese)' },
      { value: 'iso-2022-jp', label: 'ISO 2022-JP (Japanese)' },
      { value: 'euc-kr', label: 'EUC-KR (Korean)' },
    ],
  },
  {
    group: 'ISO and others',
    items: [
      { value: 'iso-8859-2', label: 'ISO 8859-2 (Central European)' },
      { value: 'iso-8859-3', label: 'ISO 8859-3 (South European)' },
      { value: 'iso-8859-4', label: 'ISO 8859-4 (Baltic)' },
      { value: 'iso-8859-5', label: 'ISO 8859-5 (Cyrillic)' },
      { value: 'iso-8859-6', label: 'ISO 8859-6 (Arabic)' },
      { value: 'iso-8859-7', label: 'ISO 8859-7 (Greek)' },
      { value: 'iso-8859-8', label: 'ISO 8859-8 (Hebrew)' },
      { value: 'iso-8859-10', label: 'ISO 8859-10 (Nordic)' },
      { value: 'iso-8859-13', label: 'ISO 8859-13 (Baltic)' },
      { value: 'iso-8859-14', label: 'ISO 8859-14 (Celtic)' },
      { value: 'iso-8859-15', label: 'ISO 8859-15 (Western)' },
      { value: 'ibm866', label: 'IBM 866 (Cyrillic)' },
      { value: 'koi8-r', label: 'KOI8-R (Russian)' },
      { value: 'koi8-u', label: 'KOI8-U (Ukrainian)' },
      { value: 'macintosh', label: 'Mac OS Roman' },
      { value: 'x-mac-cyrillic', label: 'Mac OS Cyrillic' },
    ],
  },
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
  /** Names of the sheets of a workbook. */
  sheets?: readonly string[];
  onChange: (reading: Reading) => void;
}

/** Says how to read the file. */
export function ReadingFields({ reading, effective, sheets = [], onChange }: ReadingFieldsProps) {
  const isTable = effective.format === 'csv' || effective.format === 'xlsx';
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: effective.format === 'csv' ? 5 : 4 }} spacing="sm">
        <Select
          label="Format"
          placeholder="Choose a format"
          data={FORMATS}
          allowDeselect={false}
          value={effective.format ?? null}
          onChange={value =>
            onChange({
              ...reading,
              format: value as Reading['format'],
              delimiter: undefined,
              skip_lines: undefined,
              sheet: undefined,
            })
          }
        />
        {effective.format === 'xlsx' && sheets.length > 1 && (
          <Select
            label="Sheet"
            description={`Trawl imports one of ${countText(sheets.length, 'sheet')}.`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data={sheets.map(name => ({ value: name, label: inReadingOrder(name) }))}
            searchable
            allowDeselect={false}
            value={effective.sheet ?? null}
            onChange={value => onChange({ ...reading, sheet: value ?? undefined, skip_lines: undefined })}
          />
        )}
        {effective.format !== 'xlsx' && effective.format !== 'parquet' && (
          <Select
            label="Encoding"
            placeholder="Choose an encoding"
            data={ENCODINGS}
            searchable
            allowDeselect={false}
            value={effective.encoding ?? null}
            onChange={value => onChange({ ...reading, encoding: value as Reading['encoding'] })}
          />
        )}
        {effective.format === 'csv' && (
          <Select
            label="Delimiter"
            data={DELIMITERS}
            allowDeselect={false}
            value={effective.delimiter ?? null}
            onChange={value =>
              onChange({ ...reading, delimiter: value as Reading['delimiter'], skip_lines: undefined })
            }
          />
        )}
        {isTable && (
          <NumberInput
            label="Lines above the header"
            min={0}
            max={1_000}
            allowDecimal={false}
            clampBehavior="strict"
            value={effective.skip_lines ?? 0}
            onChange={value => onChange({ ...reading, skip_lines: value === '' ? undefined : Number(value) })}
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
      </SimpleGrid>
      {isTable && (
        <Checkbox
          mt="md"
          label="The first row has the names of the columns"
          checked={reading.header ?? true}
          onChange={event => onChange({ ...reading, header: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
