import { Text } from '@mantine/core';
import type { Execution } from '../../../api/entities.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { useReplayRun } from '../api/replay-run.js';

interface ReplayButtonProps {
  execution: Execution;
  /** Called with the id of the replay. */
  onStarted: (id: string) => void;
}

/** Starts a replay of a run with the current files. Shows why there is no record, and nothing for a run without one. */
export function ReplayButton({ execution: { id, record }, onStarted }: ReplayButtonProps) {
  const replay = useReplayRun();
  if (!record) return null;
  if (record.bytes === 0) {
    return (
      <Text size="sm" c="dimmed" maw="40ch">
        {`No record. ${record.problem ?? ''}`}
      </Text>
    );
  }
  return (
    <FocusableButton
      variant="default"
      loading={replay.isPending}
      onClick={() => replay.mutate(id, { onSuccess: started => onStarted(started.id) })}
      title={[
        `Run the current files without the network, against the ${record.exchanges} recorded HTTP exchanges.`,
        record.problem,
      ]
        .join(' ')
        .trim()}
    >
      Replay
    </FocusableButton>
  );
}
