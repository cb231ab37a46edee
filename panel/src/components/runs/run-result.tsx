import type { Action, VerdictLevel, WaitingFor } from '@trawl/contracts';
import { RunStatus, Status } from '../values/status.js';

interface RunResultProps {
  action: Action;
  waiting?: WaitingFor | null;
  /** Level of the verdict on the rows of the run, unless the owner has accepted them. */
  level?: VerdictLevel | null | undefined;
}

/** How a run ended: also whether its rows are unusual or broken, which matters more than that it has completed. */
export function RunResult({ action, waiting, level }: RunResultProps) {
  if (level === 'broken' || level === 'unusual')
    return <Status tone={level === 'broken' ? 'error' : 'warn'} label={`rows ${level}`} />;
  return <RunStatus action={action} waiting={waiting} />;
}
