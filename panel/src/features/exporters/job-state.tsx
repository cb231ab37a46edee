import { Loader } from '@mantine/core';
import { MessageText } from '../../components/feedback/message-text.js';
import { Status } from '../../components/values/status.js';

type State = 'uploaded' | 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

const TONES = {
  uploaded: 'warn',
  queued: 'warn',
  running: 'live',
  done: 'ok',
  failed: 'error',
  cancelled: 'quiet',
} as const satisfies Record<State, string>;

const LABELS: Partial<Record<State, string>> = { uploaded: 'not started' };

/** State of an export or import, with its progress or the reason of its failure. */
export function JobState({ state, progress, error }: { state: State; progress?: string; error?: string | null }) {
  return (
    <div className="job-state">
      <Status
        tone={TONES[state]}
        label={LABELS[state] ?? state}
        live={state === 'running'}
        hollow={state === 'queued' || state === 'cancelled' || state === 'uploaded'}
      />
      {state === 'running' && (
        <span className="cell-sub tabular">
          <Loader size={10} type="dots" aria-hidden /> {progress}
        </span>
      )}
      {state === 'failed' && error && (
        <span className="cell-sub">
          <MessageText of={error} />
        </span>
      )}
    </div>
  );
}
