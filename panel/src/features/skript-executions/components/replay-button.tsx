import type { Execution } from '../../../api/entities.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { useReplayRun } from '../api/replay-run.js';

interface ReplayButtonProps {
  execution: Execution;
  /** Called with the id of the replay. */
  onStarted: (id: string) => void;
}

/** Starts a replay of a run with the current files. Shows nothing for a run without a record. */
export function ReplayButton({ execution: { id, record }, onStarted }: ReplayButtonProps) {
  const replay = useReplayRun();
  if (!record || record.problem !== null) return null;
  return (
    <FocusableButton
      variant="default"
      loading={replay.isPending}
      onClick={() => replay.mutate(id, { onSuccess: started => onStarted(started.id) })}
      title={`Run the current files without the network, against the ${record.exchanges} recorded HTTP exchanges`}
    >
      Replay
    </FocusableButton>
  );
}
