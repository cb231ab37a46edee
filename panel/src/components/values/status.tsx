import { ACTIONS, type Action, WAITING_TEXTS, type WaitingFor, type WorkerStatus } from '@trawl/contracts';
import { TimeText } from './time-text.js';

type Tone = 'ok' | 'live' | 'warn' | 'error' | 'quiet';

interface StatusProps {
  tone: Tone;
  label: string;
  /** Animates the dot. */
  live?: boolean;
  hollow?: boolean;
}

/** A status label with a coloured dot. */
export function Status({ tone, label, live, hollow }: StatusProps) {
  return (
    <span className={`status tone-${tone}`} data-live={live || undefined} data-hollow={hollow || undefined}>
      <span className="status-dot" aria-hidden="true" />
      {label}
    </span>
  );
}

/** The beginning of the text for a run that waits in a queue of libraries. */
const IN_QUEUE: Partial<Record<WaitingFor['reason'], string>> = {
  libraries_resolving: 'the platform looks for the versions of',
  libraries_installing: 'the worker installs',
};

/** Text that says why a run waits: for a retry also when the next attempt starts, in a queue also its place. */
export function WaitingText({ waiting: { reason, until, place, of, packages } }: { waiting: WaitingFor }) {
  if (reason === 'retry_scheduled' && until)
    return (
      <>
        the next attempt starts at <TimeText iso={until} zone />
      </>
    );
  const text =
    place && IN_QUEUE[reason]
      ? `${IN_QUEUE[reason]} other libraries first: place ${place} of ${of}`
      : (WAITING_TEXTS[reason] ?? reason);
  return packages && !place ? `${text}: ${packages} packages so far` : text;
}

/** The panel's word for each action. Events, such as `run.completed`, use the same words. */
export const ACTION_LABELS: Record<Action, string> = {
  start: 'running',
  pause: 'paused',
  stop: 'stopped',
  end: 'completed',
  error: 'failed',
};

/** The choices of a filter by action. */
export const ACTION_CHOICES = ACTIONS.map(action => ({ value: action, label: ACTION_LABELS[action] }));

const ACTION_TONES: Record<Action, Tone> = { start: 'live', pause: 'warn', stop: 'quiet', end: 'ok', error: 'error' };

/** The status of a run: its `action` in words, or "waiting" for a run that is started but has to wait. */
export function RunStatus({ action, waiting }: { action: Action; waiting?: WaitingFor | null }) {
  if (waiting && action === 'start') return <Status tone="warn" label="waiting" hollow />;
  return (
    <Status
      tone={ACTION_TONES[action]}
      label={ACTION_LABELS[action]}
      live={action === 'start'}
      hollow={action === 'stop' || action === 'pause'}
    />
  );
}

const WORKER_TONES: Record<WorkerStatus, Tone> = {
  online: 'ok',
  draining: 'warn',
  restarting: 'warn',
  offline: 'quiet',
};

export function WorkerStatusText({ status }: { status: WorkerStatus }) {
  return <Status tone={WORKER_TONES[status]} label={status} hollow={status === 'offline'} />;
}
