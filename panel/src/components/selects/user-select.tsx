import { useUser } from '../../api/requests/get-user.js';
import { useUsers } from '../../api/requests/list-users.js';
import { SearchSelect } from './search-select.js';
import { isUnanswered, useTypedSearch } from './use-typed-search.js';

const CHOICES = 50;

interface UserSelectProps {
  /** The visible label. Without one, `placeholder` names the field. */
  label?: string;
  placeholder: string;
  value: string | null;
  onChange: (userId: string | null) => void;
  /** True to offer developers only. */
  developersOnly?: boolean;
  /** Ids of users who cannot be chosen. */
  without?: readonly string[];
  className?: string;
  width?: { base: string; sm: number };
}

/** Select of an account, for administrators. The server searches the user names. */
export function UserSelect(props: UserSelectProps) {
  const { label, placeholder, value, onChange, developersOnly, without = [], className, width } = props;
  const { onSearch, searched, isTyping } = useTypedSearch();
  const users = useUsers({
    limit: CHOICES,
    sort: 'username',
    role: developersOnly ? 'developer' : undefined,
    name_contains: searched || undefined,
  });
  const chosen = useUser(value ?? '').data;
  return (
    <SearchSelect
      className={className}
      w={width}
      clearable
      label={label}
      aria-label={label ? undefined : placeholder}
      placeholder={placeholder}
      nothingFoundMessage={without.length > 0 ? 'No matching user, or already chosen' : 'No matching user'}
      choices={(users.data?.items ?? [])
        .filter(({ id }) => !without.includes(id))
        .map(({ id, username }) => ({ value: id, label: username }))}
      chosen={chosen && { value: chosen.id, label: chosen.username }}
      value={value}
      onChange={onChange}
      onSearch={onSearch}
      isSearching={isTyping || isUnanswered(users)}
      source={users}
    />
  );
}
