import { useState } from 'react';
import type { Execution } from '../../api/entities.js';
import { useExecution } from '../../api/requests/get-execution.js';
import { inReadingOrder } from '../values/in-reading-order.js';
import { ACTION_LABELS } from '../values/status.js';
import { timeWords } from '../values/time-text.js';
import { SearchSelect } from './search-select.js';

const RUN_ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

type Run = Pick<Execution, 'id' | 'skript' | 'created_at' | 'action'>;

const choiceOf = ({ id, skript, created_at: at, action }: Run) => ({
  value: id,
  label: `${inReadingOrder(skript.name)}, ${timeWords(at)} (${ACTION_LABELS[action]})`,
});

interface RunSelectProps {
  label: string;
  /** The runs to choose from. */
  runs: readonly Run[];
  value: string;
  onChange: (executionId: string) => void;
  source?: { error: Error | null; refetch: () => Promise<unknown> };
  width?: { base: string; sm: number };
}

/** Select of one of the latest 200 runs, or of any run by its id. */
export function RunSelect({ label, runs, value, onChange, source, width }: RunSelectProps) {
  const [search, setSearch] = useState('');
  const chosen = useExecution(value).data;
  const id = search.trim();
  const isId = RUN_ID.test(id);
  return (
    <SearchSelect
      label={label}
      description="One of the latest 200, or paste the ID of any run."
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="Choose a run"
      nothingFoundMessage="No such run among the latest"
      w={width}
      onSearch={setSearch}
      choices={isId ? [{ value: id, label: `Run ${id}` }] : runs.map(choiceOf)}
      chosen={chosen && choiceOf(chosen)}
      value={value || null}
      onChange={next => next && onChange(next)}
      source={source}
    />
  );
}
