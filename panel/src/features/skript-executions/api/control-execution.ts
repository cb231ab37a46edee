import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export type Control = 'pause' | 'resume' | 'stop';

export const DONE: Record<Control, string> = { pause: 'paused', resume: 'resumed', stop: 'stopped' };

const pathOf = (id: string) => ({ params: { path: { skriptExecution_id: id } } });

export const CALLS = {
  pause: (id: string) => unwrap(api.POST('/joint-api/skript-execution/{skriptExecution_id}/pause', pathOf(id))),
  resume: (id: string) => unwrap(api.POST('/joint-api/skript-execution/{skriptExecution_id}/resume', pathOf(id))),
  stop: (id: string) => unwrap(api.POST('/joint-api/skript-execution/{skriptExecution_id}/stop', pathOf(id))),
};

/** Pauses, resumes or stops a live run. The live socket pushes the result. */
export const useControlExecution = (control: Control) =>
  useChange({
    send: CALLS[control],
    failed: `The run could not be ${DONE[control]}`,
    reload: [QUERY_KEYS.executions],
  });
