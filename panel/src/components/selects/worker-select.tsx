import { useWorkers } from '../../api/requests/list-workers.js';
import { SearchSelect } from './search-select.js';

export const ANY_WORKER = { value: 'any', label: 'any – the least busy' };

const MAX_WORKERS = 1000;

interface WorkerSelectProps {
  value: string;
  onChange: (workerId: string) => void;
}

/** Select of a worker for a run, or `any`. */
export function WorkerSelect({ value, onChange }: WorkerSelectProps) {
  const workers = useWorkers({ limit: MAX_WORKERS, sort: 'name' });
  const { items: all = [] } = workers.data ?? {};
  return (
    <SearchSelect
      label="Worker"
      nothingFoundMessage="No matching worker"
      choices={[
        ANY_WORKER,
        ...all.map(({ id, name, status, usable }) => ({
          value: id,
          label: `${name} (${usable ? status : 'cannot run your skripts'})`,
          disabled: !usable,
        })),
      ]}
      value={value}
      onChange={id => onChange(id ?? 'any')}
      source={workers}
      // With more workers than the list has, the chosen one may be among the others.
      noun={all.length < MAX_WORKERS ? 'worker' : undefined}
    />
  );
}
