import type { UseQueryResult } from '@tanstack/react-query';
import { SearchSelect } from '../../../components/selects/search-select.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';

interface LabelFilterProps {
  /** Such as `Category`. */
  label: string;
  /** Such as `categories`. */
  plural: string;
  choices: readonly string[];
  source: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>;
  /** The chosen label; empty for all. */
  value: string;
  onChange: (value: string | null) => void;
}

/** Select that limits a list to the skripts with one category or tag. */
export function LabelFilter({ label, plural, choices, source, value, onChange }: LabelFilterProps) {
  const choice = (name: string) => ({ value: name, label: inReadingOrder(name) });
  return (
    <SearchSelect
      size="sm"
      w={{ base: '100%', sm: 160 }}
      aria-label={label}
      placeholder={`All ${plural}`}
      nothingFoundMessage={`No ${label.toLowerCase()} of this name`}
      clearable
      clearButtonProps={{ 'aria-label': `Show all ${plural}` }}
      choices={choices.map(choice)}
      chosen={value === '' ? undefined : choice(value)}
      value={value || null}
      onChange={onChange}
      source={source}
    />
  );
}
