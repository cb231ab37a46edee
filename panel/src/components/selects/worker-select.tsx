import { useWorkers } from '../../api/requests/list-workers.js';
import { SearchSelect } from './search-select.js';

export const ANY_WORKER = { value: 'any', label: 'any – the least busy' };

interface WorkerSelectProps {
  value: string;
  onChange: (workerId: string) => void;
}

/** Select of a worker for a run, or `any`. */
export function WorkerSelect({ value, onChange }: WorkerSelectProps) {
  const workers = useWorkers({ limit: 1000, sort: 'name' });
  return (
    <SearchSelect
      label="Worker"
      nothingFoundMessage="No matching worker"
      choices={[
        ANY_WORKER,
        ...(workers.data?.items.map(({ id, name, status, usable }) => ({
          value: id,
          label: `${name} (${usable ? status : 'cannot run your skripts'})`,
          disabled: !usable,
        })) ?? []),
      ]}
      value={value}
      onChange={id => onChange(id ?? 'any')}
      allowDeselect={false}
      source={workers}
    />
  );
}
