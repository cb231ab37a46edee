import { SearchSelect, type SearchSelectProps } from './search-select.js';

const ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map(zone => ({ value: zone, label: zone }));

/** Chooses a time zone by part of its name. Also shows one that this browser does not know. */
export function TimeZoneSelect({ value, ...props }: Omit<SearchSelectProps, 'choices'>) {
  return (
    <SearchSelect
      label="Time zone"
      limit={200}
      nothingFoundMessage="No such time zone"
      choices={ZONES}
      chosen={value ? { value, label: value } : undefined}
      value={value}
      {...props}
    />
  );
}
