import { isLive } from '@trawl/contracts';
import type { ReactNode } from 'react';
import type { Execution } from '../../api/entities.js';
import { useExecution } from '../../api/requests/get-execution.js';
import { useLatestRuns } from '../../api/requests/list-latest-runs.js';
import { useSkripts } from '../../api/requests/list-skripts.js';
import { inReadingOrder } from '../values/in-reading-order.js';
import { ACTION_LABELS } from '../values/status.js';
import { timeWords } from '../values/time-text.js';
import { SearchSelect } from './search-select.js';
import { isUnanswered, useTypedSearch } from './use-typed-search.js';

const RUN_ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const FOUND_SKRIPTS = 50;
const SHOWN = 200;

const DESCRIPTIONS = {
  all: "Latest 200 runs. Type a skript's title to find its runs, or paste the ID of any run.",
  first: 'Latest 200 runs of the same skript. Type the title of another to find its runs, or paste the ID of any run.',
  only: 'Latest 200 runs of the skript, or paste the ID of any run.',
};

type Run = Pick<Execution, 'id' | 'skript' | 'created_at' | 'action'>;

const choiceOf = ({ id, skript, created_at: at, action }: Run) => ({
  value: id,
  label: `${inReadingOrder(skript.name)}, ${timeWords(at)} (${ACTION_LABELS[action]})`,
});

/** Searches skripts by title on the server, and lists the latest runs of those found, newest first. */
function useFoundRuns(title: string) {
  const isWanted = title !== '';
  const skripts = useSkripts({ limit: FOUND_SKRIPTS, sort: 'title', title_contains: title }, { isWanted });
  const found = new Map((isWanted ? skripts.data?.items : [])?.map(skript => [skript.id, skript]));
  const latest = useLatestRuns([...found.keys()]);
  const runs = (latest.data?.items ?? []).flatMap(({ skript_id: skriptId, ...run }): Run[] => {
    const skript = found.get(skriptId);
    return skript ? [{ ...run, skript: { id: skriptId, name: skript.title, category: skript.category } }] : [];
  });
  return {
    runs: runs.sort((a, b) => b.created_at.localeCompare(a.created_at)),
    isSearching: isWanted && (isUnanswered(skripts) || (found.size > 0 && isUnanswered(latest))),
    failed: skripts.isError ? skripts : latest,
  };
}

export interface RunSelectProps {
  label: string;
  /** The runs to choose from while nothing is typed. */
  runs: readonly Run[];
  /** Whether the runs are of all skripts, of one skript with a search for the others, or only of one skript. */
  of: keyof typeof DESCRIPTIONS;
  /** True to offer only runs in progress. */
  isLiveOnly?: boolean;
  value: string;
  onChange: (executionId: string) => void;
  source?: { error: Error | null; refetch: () => Promise<unknown> };
  width?: { base: string; sm: number };
  error?: ReactNode;
}

/** Select of a run: one of the latest, one that the server finds by the title of its skript, or any by its ID. */
export function RunSelect({ label, runs, of, isLiveOnly, value, onChange, source, width, error }: RunSelectProps) {
  const { typed, onSearch, searched, isTyping } = useTypedSearch();
  const chosen = useExecution(value).data;
  const isId = RUN_ID.test(typed);
  // In the label of a run, the first comma ends the title.
  const [title = ''] = searched.split(',');
  const found = useFoundRuns(of === 'only' || RUN_ID.test(title) ? '' : title.trim());
  const isListed = new Set(runs.map(({ id }) => id));
  const others = found.runs.filter(({ id, action }) => !isListed.has(id) && (!isLiveOnly || isLive(action)));
  return (
    <SearchSelect
      label={label}
      description={DESCRIPTIONS[of]}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="Choose a run"
      nothingFoundMessage="No such run among the latest of each skript"
      w={width}
      limit={SHOWN}
      onSearch={onSearch}
      isSearching={!isId && (isTyping || found.isSearching)}
      choices={isId ? [{ value: typed, label: `Run ${typed}` }] : [...runs, ...others].map(choiceOf)}
      chosen={chosen && choiceOf(chosen)}
      value={value || null}
      onChange={next => next && onChange(next)}
      source={found.failed.isError ? found.failed : source}
      error={error}
    />
  );
}
