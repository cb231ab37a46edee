import type { Action } from '@trawl/contracts';

/** The panel's word for each action. Events, such as `run.completed`, use the same words. */
export const ACTION_LABELS: Record<Action, string> = {
  start: 'running',
  pause: 'paused',
  stop: 'stopped',
  end: 'completed',
  error: 'failed',
};
