import { MultiSelect } from '@mantine/core';
import { LIMITS } from '@trawl/contracts';
import { failedProps, keepForm, noSuch } from './search-select.js';
import { ANY_WORKER, useWorkerSearch, workerChoice } from './use-worker-search.js';

interface WorkersSelectProps {
  value: string[];
  onChange: (workerIds: string[]) => void;
  error?: string;
}

/** Select of several workers for a run, `any` among them. The server searches the names. */
export function WorkersSelect({ value, onChange, error }: WorkersSelectProps) {
  const { found, others, isMissing, source, onSearch, isSearching } = useWorkerSearch(
    value.filter(id => id !== ANY_WORKER.value),
  );
  return (
    <MultiSelect
      label="Workers"
      placeholder={value.length === 0 ? 'Choose the workers' : undefined}
      searchable
      // Marks the first choice when the server has answered, so that Enter chooses it.
      selectFirstOptionOnChange={!isSearching}
      onKeyDown={keepForm}
      clearable
      maxValues={LIMITS.workersPerStart}
      nothingFoundMessage={isSearching ? 'Searching…' : 'No matching worker'}
      data={[ANY_WORKER, ...[...found, ...others].map(workerChoice)]}
      value={value}
      onChange={onChange}
      onSearchChange={onSearch}
      {...failedProps(source)}
      error={error ?? (isMissing && noSuch('worker'))}
    />
  );
}
