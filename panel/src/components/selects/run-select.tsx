import { useState } from 'react';
import type { Execution } from '../../api/entities.js';
import { useExecution } from '../../api/requests/get-execution.js';
import { useRecentExecutions } from '../../api/requests/list-executions.js';
import { inReadingOrder } from '../values/in-reading-order.js';
import { timeWords } from '../values/time-text.js';
import { SearchSelect } from './search-select.js';

const RUN_ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const choiceOf = ({
  id,
  skript,
  created_at: at,
  action,
}: Pick<Execution, 'id' | 'skript' | 'created_at' | 'action'>) => ({
  value: id,
  label: `${inReadingOrder(skript.name)}, ${timeWords(at)} (${action})`,
});

interface RunSelectProps {
  label: string;
  /** Offers only the runs of this skript; '' for all. */
  skriptId: string;
  value: string;
  onChange: (executionId: string) => void;
}

/** Select of one of the latest 200 runs, or of any run by its id. */
export function RunSelect({ label, skriptId, value, onChange }: RunSelectProps) {
  const [search, setSearch] = useState('');
  const recent = useRecentExecutions(skriptId);
  const chosen = useExecution(value).data;
  const id = search.trim();
  const choices = recent.data?.items.map(choiceOf) ?? [];
  return (
    <SearchSelect
      label={label}
      description="One of the latest 200, or paste the ID of any run."
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="Choose a run"
      allowDeselect={false}
      nothingFoundMessage="No such run among the latest"
      onSearch={setSearch}
      choices={
        RUN_ID.test(id)
          ? [{ value: id, label: `Run ${id}` }]
          : choices.filter(choice => choice.label.toLowerCase().includes(search.toLowerCase()))
      }
      chosen={chosen && choiceOf(chosen)}
      value={value || null}
      onChange={next => next && onChange(next)}
      error={recent.error?.message}
    />
  );
}
