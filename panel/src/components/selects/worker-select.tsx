import { noSuch, SearchSelect } from './search-select.js';
import { ANY_WORKER, useWorkerSearch, workerChoice } from './use-worker-search.js';

interface WorkerSelectProps {
  value: string;
  onChange: (workerId: string) => void;
}

/** Select of a worker for a run, or `any`. The server searches the names. */
export function WorkerSelect({ value, onChange }: WorkerSelectProps) {
  const { found, others, isMissing, ...search } = useWorkerSearch(value === ANY_WORKER.value ? [] : [value]);
  return (
    <SearchSelect
      {...search}
      label="Worker"
      nothingFoundMessage="No matching worker"
      choices={[ANY_WORKER, ...found.map(workerChoice)]}
      chosen={others.map(workerChoice)[0]}
      value={value}
      onChange={id => onChange(id ?? ANY_WORKER.value)}
      error={isMissing && noSuch('worker')}
    />
  );
}
