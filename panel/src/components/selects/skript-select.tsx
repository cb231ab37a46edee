import { useSkript } from '../../api/requests/get-skript.js';
import { useSkripts } from '../../api/requests/list-skripts.js';
import { isMissing } from '../feedback/load-failure.js';
import { inReadingOrder } from '../values/in-reading-order.js';
import { noSuch, SearchSelect } from './search-select.js';
import { isUnanswered, useTypedSearch } from './use-typed-search.js';

const CHOICES = 50;

interface SkriptSelectProps {
  /** The visible label. Without one, `placeholder` names the field. */
  label?: string;
  placeholder: string;
  value: string | null;
  onChange: (skriptId: string | null) => void;
  error?: string;
  clearable?: boolean;
  width?: { base: string; sm: number };
}

/** Select of one of the user's skripts. The server searches their titles. */
export function SkriptSelect({ label, placeholder, value, error, width, ...props }: SkriptSelectProps) {
  const { onSearch, searched, isTyping } = useTypedSearch();
  const skripts = useSkripts({ limit: CHOICES, sort: 'title', title_contains: searched || undefined });
  const { data: chosen, error: missing } = useSkript(value ?? '');
  return (
    <SearchSelect
      {...props}
      w={width}
      size="sm"
      label={label}
      aria-label={label ? undefined : placeholder}
      placeholder={skripts.isPending ? 'Loading…' : placeholder}
      nothingFoundMessage="No skript has this in its title"
      choices={skripts.data?.items.map(({ id, title }) => ({ value: id, label: inReadingOrder(title) })) ?? []}
      chosen={chosen && { value: chosen.id, label: inReadingOrder(chosen.title) }}
      value={value}
      onSearch={onSearch}
      isSearching={isTyping || isUnanswered(skripts)}
      source={skripts}
      error={isMissing(missing) ? noSuch('skript') : error}
    />
  );
}
