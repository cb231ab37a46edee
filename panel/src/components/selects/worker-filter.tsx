import type { Worker } from '../../api/entities.js';
import { SearchSelect } from './search-select.js';
import { useWorkerSearch } from './use-worker-search.js';

interface WorkerFilterProps {
  value: string;
  onChange: (workerId: string | null) => void;
  width: { base: string; sm: number };
}

const choiceOf = ({ id, name }: Worker) => ({ value: id, label: name });

/** Filter of a list by the worker. The server searches the names. */
export function WorkerFilter({ value, onChange, width }: WorkerFilterProps) {
  const { found, others, isMissing: _, ...search } = useWorkerSearch(value === '' ? [] : [value]);
  return (
    <SearchSelect
      {...search}
      w={width}
      clearable
      aria-label="All workers"
      placeholder="All workers"
      nothingFoundMessage="No matching worker"
      choices={found.map(choiceOf)}
      chosen={others.map(choiceOf)[0]}
      value={value || null}
      onChange={onChange}
    />
  );
}
