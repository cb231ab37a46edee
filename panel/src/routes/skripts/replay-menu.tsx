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

/** Lists the recorded runs of a skript, the newest first. */
function RecordedRuns({ skriptId, onChoose }: RecordedRunsProps) {
  const { data, error } = useRecentExecutions(skriptId);
  if (error) return <Menu.Item disabled>The recorded runs could not be loaded: {error.message}</Menu.Item>;
  if (!data) return <Menu.Item disabled>Loading…</Menu.Item>;
  const recorded = data.items.filter(({ record }) => record && record.bytes > 0).slice(0, SHOWN);
  if (recorded.length === 0)
    return <Menu.Item disabled>The latest runs have no record. Set Record in the settings.</Menu.Item>;
  return recorded.map(({ id, created_at }, index) => (
    <Menu.Item key={id} onClick={() => onChoose(id)}>
      {index === 0 ? `Newest: ${timeWords(created_at)}` : timeWords(created_at)}
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
  const start = (id: string) => void saveAnd(() => replay.mutate(id, { onSuccess: started => onStarted(started.id) }));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <FocusableButton size="xs" variant="default" loading={replay.isPending}>
          Replay
        </FocusableButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Run against the record of a run</Menu.Label>
        <RecordedRuns skriptId={skriptId} onChoose={start} />
      </Menu.Dropdown>
    </Menu>
  );
}
