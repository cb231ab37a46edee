import { SearchSelect } from './search-select.js';

interface SavedValueSelectProps {
  label: string;
  saved: { data?: { items: { id: string; name: string }[] }; error: Error | null; refetch: () => Promise<unknown> };
  value: string | null;
  onChange: (id: string | null) => void;
}

/** Select of a saved input or input secret, or of none. */
export function SavedValueSelect({ label, saved, value, onChange }: SavedValueSelectProps) {
  const items = saved.data?.items ?? [];
  return (
    <SearchSelect
      label={label}
      placeholder={saved.data?.items.length === 0 ? `No saved ${label.toLowerCase()}s` : 'None'}
      nothingFoundMessage="No such name"
      clearable
      choices={items.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      source={saved}
      noun={label.toLowerCase()}
    />
  );
}
