import { Menu } from '@mantine/core';
import { useRecentExecutions } from '../../api/requests/list-executions.js';
import { FocusableButton } from '../../components/focusable-button.js';
import { timeWords } from '../../components/values/time-text.js';
import { useReplayRun } from '../../features/skript-executions/api/replay-run.js';

const SHOWN = 10;

interface RecordedRunsProps {
  skriptId: string;
  onChoose: (executionId: string) => void;
}

/** Returns the recorded runs of a skript, the newest first, or one entry without an id that says why there are none. */
function useRecordedRuns(skriptId: string): { id: string | null; label: string }[] {
  const { data, error } = useRecentExecutions(skriptId);
  if (error) return [{ id: null, label: `The recorded runs could not be loaded: ${error.message}` }];
  if (!data) return [{ id: null, label: 'Loading the recorded runs…' }];
  const recorded = data.items.filter(({ record }) => record && record.bytes > 0).slice(0, SHOWN);
  if (recorded.length === 0)
    return [{ id: null, label: 'The latest runs have no record. Set Record in the settings.' }];
  return recorded.map(({ id, created_at }, index) => ({
    id,
    label: `Run against the record of ${timeWords(created_at)}${index === 0 ? ', the newest' : ''}`,
  }));
}

/** Lists the recorded runs of a skript. An entry without a run keeps the focus, so that Escape closes the menu. */
function RecordedRuns({ skriptId, onChoose }: RecordedRunsProps) {
  return useRecordedRuns(skriptId).map(({ id, label }, index) => (
    <Menu.Item
      // biome-ignore lint/suspicious/noArrayIndexKey: the first item keeps the focus while the runs load.
      key={index}
      aria-disabled={id === null}
      closeMenuOnClick={id !== null}
      onClick={() => id !== null && onChoose(id)}
    >
      {label}
    </Menu.Item>
  ));
}

interface ReplayMenuProps {
  skriptId: string;
  /** Saves the files, and then calls the function if all are saved. */
  saveAnd: (start: () => void) => Promise<void>;
  /** Called with the id of the replay. */
  onStarted: (id: string) => void;
}

/** Saves the files of a skript, and runs them against the record of a chosen run. It loads the runs when it opens. */
export function ReplayMenu({ skriptId, saveAnd, onStarted }: ReplayMenuProps) {
  const replay = useReplayRun();
  const start = (id: string) =>
    void saveAnd(() => replay.mutate({ id }, { onSuccess: started => onStarted(started.id) }));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <FocusableButton size="xs" variant="default" loading={replay.isPending}>
          Replay
        </FocusableButton>
      </Menu.Target>
      <Menu.Dropdown>
        <RecordedRuns skriptId={skriptId} onChoose={start} />
      </Menu.Dropdown>
    </Menu>
  );
}
