import type { Action, WaitingFor, WorkerStatus } from '@trawl/contracts';
import { TimeText } from './time-text.js';

type Tone = 'ok' | 'live' | 'warn' | 'error' | 'quiet';

interface StatusProps {
  tone: Tone;
  label: string;
  /** Something is going on right now. */
  live?: boolean;
  hollow?: boolean;
}

/** A state in words, with a dot in its colour. */
export function Status({ tone, label, live, hollow }: StatusProps) {
  return (
    <span className={`status tone-${tone}`} data-live={live || undefined} data-hollow={hollow || undefined}>
      <span className="status-dot" aria-hidden="true" />
      {label}
    </span>
  );
}

const WAITING_TEXTS: Record<WaitingFor['reason'], string> = {
  worker_offline: 'the worker is offline',
  worker_full: 'the worker has no free slot',
  worker_restarting: 'the worker restarts',
  no_suitable_worker: 'no worker that it may use has its environment and a sufficient sandbox',
  libraries_installing: 'its libraries are being installed',
  process_starting: 'its process is being started',
  storage_down: 'the storage is down',
  retry_scheduled: 'the next try is scheduled',
};

/** Why a run waits and, where that is known, until when. */
export function WaitingText({ waiting: { reason, until } }: { waiting: WaitingFor }) {
  if (reason === 'retry_scheduled' && until)
    return (
      <>
        the next try begins at <TimeText iso={until} zone />
      </>
    );
  return <>{WAITING_TEXTS[reason] ?? reason}</>;
}

const ACTION_TONES: Record<Action, Tone> = { start: 'live', pause: 'warn', stop: 'quiet', end: 'ok', error: 'error' };

/** The `action` of an execution; a run that waits says so, unless it is held back by a pause. */
export function ActionStatus({ action, waiting }: { action: Action; waiting?: WaitingFor | null }) {
  if (waiting && action === 'start') return <Status tone="warn" label="waiting" hollow />;
  return (
    <Status
      tone={ACTION_TONES[action]}
      label={action}
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
